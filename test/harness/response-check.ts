import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { z } from 'zod';
import { errorBody } from '../../src/http/schemas.ts';
import type { Server } from '../../src/http/server.ts';

/** What is wrong with answers, collected where a thrown error would be swallowed by the server's own error handler. */
export type Violations = string[];

/**
 * The production server only writes answers; here each one is parsed by the schema that its route documents. A field too many, a wrong
 * type or an undocumented status is a violation. Call it before the server is ready.
 */
export function checkAnswers(server: Server, violations: Violations): void {
  server.addHook('preSerialization', async (request, reply, payload) => {
    const where = `${request.method} ${request.routeOptions.url} ${reply.statusCode}`;
    // Every schema of the service is a zod schema; fastify leaves the type of `response` open.
    const schemas = request.routeOptions.schema?.response as Record<number, z.ZodType | undefined> | undefined;
    const schema = schemas?.[reply.statusCode];
    if (schema === undefined) {
      violations.push(`${where}: the route documents no such answer`);
      return payload;
    }
    const written: unknown = JSON.parse(JSON.stringify(payload));
    const parsed = schema.safeParse(written);
    if (!parsed.success) violations.push(`${where}: ${parsed.error.message}`);
    // Objects drop what they do not know while parsing, so a difference is an undocumented field.
    else if (!isDeepStrictEqual(JSON.parse(JSON.stringify(parsed.data)), written)) {
      violations.push(`${where}: fields that the schema does not know in ${JSON.stringify(written)}`);
    }
    return payload;
  });
}

const codeOf: Record<number, string> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'bad_request',
  409: 'conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  417: 'bad_request',
  429: 'too_many_requests',
  431: 'bad_request',
  500: 'internal',
  503: 'unavailable',
};

/** What holds for every answer whatever was asked: its id, its security headers, and the one shape of every failure. */
export function expectCommonRules(
  answer: { status: number; headers: Record<string, unknown>; text: string },
  about: string,
): void {
  const { status, headers, text } = answer;
  expect(headers['x-request-id'], `X-Request-Id of ${about}`).toMatch(/^[\w.:-]{1,100}$/);
  expect(headers['x-content-type-options'], `X-Content-Type-Options of ${about}`).toBe('nosniff');
  expect(headers['x-frame-options'], `X-Frame-Options of ${about}`).toBe('DENY');
  expect(headers['referrer-policy'], `Referrer-Policy of ${about}`).toBe('no-referrer');
  expect(headers['content-security-policy'], `Content-Security-Policy of ${about}`).toContain("default-src 'self'");
  if (status < 400) return;
  expect(headers['content-type'], `Content-Type of ${about}`).toBe('application/json; charset=utf-8');
  if (status === 401) expect(headers['www-authenticate'], `WWW-Authenticate of ${about}`).toBe('Bearer');
  if (status === 429) expect(Number(headers['retry-after']), `Retry-After of ${about}`).toBeGreaterThan(0);
  if (status === 405) expect(headers['allow'], `Allow of ${about}`).toMatch(/^[A-Z]+(, [A-Z]+)*$/);
  if (text === '' && about.startsWith('HEAD ')) return;
  expectErrorShape(status, text, about);
}

export function expectErrorShape(status: number, text: string, about: string): void {
  const body: unknown = JSON.parse(text);
  // Readiness says more than an error does; all else has the shape and nothing beside it.
  const schema = about.includes('/health/ready') ? errorBody.loose() : errorBody.strict();
  const parsed = schema.safeParse(body);
  expect(parsed.success, `${about} answers ${status} in another shape: ${text}`).toBe(true);
  expect(parsed.data?.error, `code of ${about}: ${text}`).toBe(codeOf[status]);
  expect(parsed.data?.message, `message of ${about}`).toMatch(/^["A-Z].*[.)]$/s);
}
