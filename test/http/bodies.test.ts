import { beforeAll, expect, test } from 'vitest';
import { adminToken, startTestApp, type TestApp, unique } from '../harness/app.ts';
import { newHome } from '../harness/home.ts';
import { expectations, type World, workflowFiles } from './authorization.table.ts';

/**
 * Every field of every JSON body that the interface describes, one at a time, with what a database cannot hold: no 5xx. The bodies are
 * made from the OpenAPI document, so a new route is covered when it is there; what its own checks want is taken from the table of
 * callers. Of alternatives one is taken, the most structured; the rest is left to the odd requests of `fuzz.test.ts`.
 */

type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  format?: string;
  minimum?: number;
};

let app: TestApp;
let world: World;
let schemas: Record<string, Schema>;
let bodies: [string, Schema][];
beforeAll(async () => {
  app = await startTestApp({ config: { home: await newHome(workflowFiles) } });
  const team = await app.createTeam();
  world = { app, team, grants: [], freshTeam: () => app.createTeam() };
  const { body: api } = await app.request('GET', '/openapi.json');
  schemas = api.components.schemas;
  bodies = Object.entries<Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>(
    api.paths,
  ).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]): [string, Schema][] => {
      const schema = requestBody?.content['application/json']?.schema;
      return schema ? [[`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`, schema]] : [];
    }),
  );
});

/** Bodies with one odd value each: at the place of every leaf in turn. */
function* oddBodies(schema: Schema, depth = 0): Generator {
  const { properties, items, additionalProperties: others } = resolve(schema);
  if (depth > 6) return;
  if (properties) yield* oddObjects(properties, depth + 1);
  else if (items) for (const odd of oddBodies(items, depth + 1)) yield [odd];
  else if (typeof others === 'object') {
    for (const odd of oddBodies(others, depth + 1)) yield { key: odd };
    for (const name of oddTexts) yield { [name]: usualOf(others, depth + 1) };
  } else yield* oddValues;
}

function* oddObjects(properties: Record<string, Schema>, depth: number): Generator {
  const usual = Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, usualOf(one, depth)]));
  for (const [key, one] of Object.entries(properties)) {
    for (const odd of oddBodies(one, depth)) {
      yield { ...usual, [key]: odd };
      yield { [key]: odd };
    }
  }
}

const oddTexts = ['a\0', '\ud800'];
const oddNumbers = [2 ** 31, 2 ** 53, 2 ** 63, 5e-324, 1e308, -1e308];
const oddValues = [...oddTexts, ...oddNumbers, { a: '\0' }, ['\0'], { '\0': 1 }];

function resolve(schema: Schema): Schema {
  const named = schema.$ref === undefined ? schema : schemas[schema.$ref.split('/').at(-1) ?? ''];
  const options = (named.anyOf ?? named.oneOf)?.map(resolve);
  return options?.find(({ properties, items }) => properties ?? items) ?? options?.[0] ?? named;
}

function usualOf(schema: Schema, depth: number): unknown {
  const plain = resolve(schema);
  if (plain.const !== undefined) return plain.const;
  if (plain.enum) return plain.enum[0];
  if (depth > 6) return undefined;
  const type = Array.isArray(plain.type) ? plain.type[0] : plain.type;
  if (type === 'object')
    return Object.fromEntries(
      Object.entries(plain.properties ?? {}).map(([key, one]) => [key, usualOf(one, depth + 1)]),
    );
  if (type === 'array') return plain.items ? [usualOf(plain.items, depth + 1)] : [];
  if (type === 'integer' || type === 'number') return Math.max(plain.minimum ?? 1, 0);
  if (type === 'boolean') return true;
  if (plain.format === 'uuid') return '00000000-0000-7000-8000-000000000000';
  if (plain.format === 'date-time') return '2026-11-15T02:08:00Z';
  if (plain.format === 'date') return '2026-11-15';
  return unique('x').replace(' ', '-');
}

const isBody = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

test('a value that cannot be stored, in any field of any body, is no fault of the service', {
  timeout: 600_000,
}, async () => {
  const faults: unknown[] = [];
  let taken = 0;
  for (const [key, schema] of bodies) {
    const [method, path] = key.split(' ');
    const call = (await expectations[key]?.send?.(world)) ?? {};
    const url = path.replaceAll(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(name === 'team_id' ? world.team.id : (call.params?.[name] ?? 'x')),
    );
    for (const odd of oddBodies(schema)) {
      const all = isBody(odd) ? [odd, { ...(isBody(call.body) ? call.body : {}), ...odd }] : [odd];
      for (const body of all) {
        const { status } = await app.request(method, url + (call.query ?? ''), { token: adminToken, body });
        if (status < 300) taken++;
        if (status >= 500) faults.push([status, key, JSON.stringify(body).slice(0, 300)]);
      }
    }
  }
  expect(faults).toEqual([]);
  // It means nothing if all of it is refused for other reasons.
  expect([bodies.length, taken].map((count) => count > 25)).toEqual([true, true]);
});
