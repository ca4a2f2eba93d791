import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { everythingOn, formatDocument, openApiFile } from '../../scripts/openapi.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';

type Operation = {
  tags?: string[];
  summary?: string;
  parameters?: { name: string; in: string; required?: boolean; schema?: unknown }[];
  responses: Record<string, { description?: string; content?: Record<string, { schema?: unknown }> }>;
  security?: Record<string, string[]>[];
};
type Document = {
  openapi: string;
  info: object;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown>; securitySchemes: object };
};

let app: TestApp;
let document: Document;

beforeAll(async () => {
  app = await startTestApp({ config: everythingOn });
  document = (await app.request('GET', '/openapi.json')).body;
});

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method,
      operation,
      key: `${method.toUpperCase()} ${path}`,
    })),
  );

test('docs/openapi.json is what the service serves', async () => {
  const committed = await readFile(openApiFile, 'utf8').catch(() => '');
  const isSame = committed === formatDocument(document);
  expect(isSame, 'docs/openapi.json is out of date: run `npm run openapi`, look at the difference, and commit it').toBe(
    true,
  );
});

test('every route that is not hidden is described, with its access', () => {
  const described = new Set(operations().map(({ key }) => key));
  const hidden = ['/', '/app', '/app/*', '/assets/*', '/docs', '/openapi.json'];
  for (const route of app.server.routes) {
    if (route.method === 'HEAD' || hidden.includes(route.url)) continue;
    const path = route.url.replace(/:(\w+)/g, '{$1}');
    expect(described, `${route.method} ${route.url}`).toContain(`${route.method} ${path}`);
    const { security } = document.paths[path][route.method.toLowerCase()];
    expect(security).toEqual(route.access === 'open' ? [] : [{ bearer: [] }, { session: [] }]);
  }
});

describe('the document is valid OpenAPI 3.1 in structure', () => {
  test('it says so, and has a title and a version', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Faultline', version: expect.any(String) } });
  });

  test('every reference leads somewhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference);
    expect(references.length).toBeGreaterThan(10);
    for (const reference of references) {
      const [root, ...path] = reference.split('/');
      expect(root, reference).toBe('#');
      const found = path.reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document);
      expect(found, reference).toBeDefined();
    }
  });

  test('every schema of the components is used', () => {
    const text = JSON.stringify(document);
    for (const name of Object.keys(document.components.schemas)) {
      expect(text.includes(`"#/components/schemas/${name}"`), name).toBe(true);
    }
  });

  test('every path parameter is declared, and only those', () => {
    for (const { path, operation, key } of operations()) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted();
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      expect(declared.map(({ name }) => name).toSorted(), key).toEqual(inPath);
      for (const parameter of declared) expect(parameter.required, key).toBe(true);
    }
  });

  test('every operation has a group, a summary, an answer that succeeds and the shape of failures', () => {
    for (const { operation, key } of operations()) {
      expect(operation.tags, key).toHaveLength(1);
      expect(operation.summary, key).toMatch(/\S/);
      const statuses = Object.keys(operation.responses);
      expect(
        statuses.some((status) => /^[23]/.test(status)),
        key,
      ).toBe(true);
      expect(operation.responses['default']?.content?.['application/json'].schema, key).toEqual({
        $ref: '#/components/schemas/Error',
      });
      for (const [status, answer] of Object.entries(operation.responses)) {
        expect(answer.description, `${key} ${status}`).toMatch(/\S/);
      }
    }
  });

  test('parameters are described with a type of the interface', () => {
    const limit = document.paths['/v1/news']['get'].parameters?.find(({ name }) => name === 'limit');
    expect(limit).toMatchObject({ in: 'query', schema: { type: 'integer', minimum: 0 } });
    expect(document.paths['/v1/news']['get'].parameters?.find(({ name }) => name === 'unread')).toMatchObject({
      schema: { type: 'boolean' },
    });
  });
});

test('/docs shows every operation and every schema, and links only to what it has', async () => {
  const { text, headers } = await app.request('GET', '/docs');
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  for (const { method, path, operation } of operations()) {
    expect(text).toContain(`>${method.toUpperCase()}</span> <code>${path}</code>`);
    expect(text).toContain((operation.summary ?? '').replaceAll('"', '&#34;'));
  }
  const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  for (const [, target] of text.matchAll(/href="#([^"]+)"/g)) expect(ids, target).toContain(target);
  expect(ids.size).toBe([...text.matchAll(/ id="([^"]+)"/g)].length);
  expect(text).not.toContain('<script');
});
