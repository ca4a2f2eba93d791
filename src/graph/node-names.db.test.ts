import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/harness/app.ts';
import { at, createGraphClient, type GraphClient, newGraph } from '../../test/harness/graph.ts';
import { rawRequest } from '../../test/harness/raw-request.ts';

/** Names as people have them: paths, URLs, sentences. Each is written, found by its address, and deleted. */
const names = [
  'a/b',
  '/etc/hosts',
  '//server/share',
  'ends/',
  '/',
  '//',
  'a//b',
  '%',
  '100%',
  '%2F',
  '%252F',
  '%41',
  '%zz',
  'what?',
  '?a=b&c=d',
  '#top',
  'a#b',
  'a+b',
  'a b',
  ' leading and trailing ',
  '../..',
  './x',
  '../../labels',
  ';',
  'a;b=c',
  '"quoted"',
  "it's",
  'back\\slash',
  '<b>&amp;</b>',
  '😀',
  '👩‍👩‍👧‍👦 family',
  'é',
  'e\u0301',
  '\u2028',
  '\ufeff',
  '\uffff',
  '中文/路径',
  'count',
  'impacted',
  'a/count',
  'a/impacted',
  'a/impacted/all',
  'a/impacted/count',
  '/count',
  '/impacted/all',
  'impacted/all',
  'impacted/count',
  'count/count',
  'nodes',
  'https://example.org:8443/path/?q=1#part',
  '__proto__',
  'constructor',
  "'; drop table nodes; --",
  '𝒳'.repeat(1024),
  '/'.repeat(1024),
];

/** The requests of `inject` go through a URL parser, which takes these for a way up; over a socket they are names. */
const dots = ['.', '..'];

let app: TestApp;
let graph: GraphClient;
beforeAll(async () => {
  app = await startTestApp();
  graph = await newGraph(app);
  await graph.add(...[...names, ...dots].map((name) => ({ source: at(`Top:${name}`), target: at(`Web:${name}`) })));
});

test('every name is kept as it was sent', async () => {
  const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
  expect(await graph.names('Web')).toEqual([...names, ...dots].toSorted(byBytes));
});

test.each(names)('%j is found by its encoded address on every node route', async (name) => {
  const node = `Web:${name}`;
  expect(await graph.node(node)).toMatchObject({ name, dependencies: { Web: [{ name }] } });
  expect(await graph.count(node)).toBe(0);
  expect(await graph.impacted(node)).toEqual([{ name, label: 'Top', active: true, from: null, to: null }]);
  expect(await graph.impactedAll(node)).toHaveLength(1);
  expect(await graph.impactedCount(node)).toBe(1);
  expect(await graph.remove(node)).toBe(409);
});

describe('raw slashes', () => {
  const get = async (path: string) =>
    rawRequest(await app.listen(), { path: `/v1/teams/${graph.teamId}/labels/Web/nodes/${path}` });

  test.each([
    ['a/b', 'a/b'],
    ['/etc/hosts', '/etc/hosts'],
    ['//server/share', '//server/share'],
    ['ends/', 'ends/'],
    ['/', '/'],
    ['a//b', 'a//b'],
    ['%2e%2e', '..'],
    ['..', '..'],
    ['.', '.'],
    ['../..', '../..'],
    ['../../labels', '../../labels'],
    ['./x', './x'],
    ['impacted/all', 'impacted/all'],
    ['a%2Fcount', 'a/count'],
    ['a%2Fimpacted%2Fall', 'a/impacted/all'],
    ['a/impacted%2Fcount', 'a/impacted/count'],
    ['%252F', '%2F'],
    ['%25252F', '%252F'],
    ['%2541', '%41'],
    ['a+b', 'a+b'],
    ['a;b=c', 'a;b=c'],
    ['https://example.org:8443/path/%3Fq=1%23part', 'https://example.org:8443/path/?q=1#part'],
  ])('%s is the node %s', async (path, name) => {
    const answer = await get(`${path}?alone`);
    expect(answer).toMatchObject({ status: 200 });
    expect(JSON.parse(answer.text)).toEqual({ name });
  });

  test.each([
    ['a/b/impacted/count', { count: 1 }],
    ['//impacted/count', { count: 1 }],
    ['count/count/count', { count: 0 }],
    ['a/count/impacted/count', { count: 1 }],
  ])('%s is an operation on a node', async (path, expected) => {
    expect(JSON.parse((await get(path)).text)).toEqual(expected);
  });

  test.each(['%', '%z', '%2', 'a%ff', '%c3'])('%s is 400: no name has this address', async (path) => {
    expect((await get(path)).status).toBe(400);
  });

  test.each(['', 'x'.repeat(20_000), '%f0%9f%98%80'.repeat(1025)])(
    'an address that no node can have is 404',
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );
});

test.each([
  ['', 'source.name must not be empty'],
  ['a\nb', 'source.name must not contain control characters'],
  ['\u0085', 'source.name must not contain control characters'],
  ['\u007f', 'source.name must not contain control characters'],
  ['\ud800', 'source.name must be well-formed Unicode'],
  ['x'.repeat(1025), 'source.name must have at most 1024 characters'],
  ['😀'.repeat(1025), 'source.name must have at most 1024 characters'],
])('%j is no name', async (name, message) => {
  expect(await graph.add({ source: { label: 'Web', name } })).toMatchObject({
    rejected: 1,
    errors: [{ line: 1, message }],
  });
});

test.each(['web', '', 'Web Server', 'Wéb', '1Web', 'Web_1', 'W-', ' Web', 'Web\n', 'ＷEB', 'X'.repeat(256)])(
  '%j is no label',
  async (label) => {
    expect(await graph.add({ source: { label, name: 'x' } })).toMatchObject({ accepted: 0, rejected: 1 });
  },
);

test('labels are letters and digits after a capital letter', async () => {
  const own = await newGraph(app);
  const labels = ['A', 'Web2', 'WEB', 'Zz9'];
  await own.add(...labels.map((label) => ({ source: { label, name: 'x' } })));
  expect((await own.labels()).map(({ name }) => name)).toEqual(labels.toSorted());
});

test('a team id in capital letters is the same team', async () => {
  const capital = createGraphClient(app, graph.teamId.toUpperCase());
  expect(await capital.names('Web')).toEqual(await graph.names('Web'));
  await capital.add({ source: at('Capital:x') });
  expect(await graph.names('Capital')).toEqual(['x']);
});

test('every node can be deleted by its address', async () => {
  for (const name of names) expect(await graph.remove(`Web:${name}`, 'detach'), name).toBe(200);
  expect(await graph.names('Web')).toEqual(dots);
});
