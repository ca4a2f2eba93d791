import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { adminToken, startTestApp, type TestApp } from '../../test/harness/app.ts';
import { at, createGraphClient, depends, type GraphClient, newGraph } from '../../test/harness/graph.ts';
import { rawRequest } from '../../test/harness/raw-request.ts';

const ndjson = { 'content-type': 'application/x-ndjson' };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

describe('messages', () => {
  test('nested and flat ones say the same', async () => {
    const nested = await newGraph(app);
    const flat = await newGraph(app);
    await nested.add(
      { source: at('Web:a', { from: 1, to: 9 }), target: at('Db:b', { from: 2, to: 8 }), rel: { from: 3, to: 4 } },
      { source: at('Web:c'), target: at('Db:b') },
      { source: at('Web:d', { from: null }), target: null, rel: null },
    );
    await flat.add(
      {
        source_label: 'Web',
        source_name: 'a',
        source_from: 1,
        source_to: 9,
        target_label: 'Db',
        target_name: 'b',
        target_from: 2,
        target_to: 8,
        rel_from: 3,
        rel_to: 4,
      },
      { source_label: 'Web', source_name: 'c', target_label: 'Db', target_name: 'b' },
      { source_label: 'Web', source_name: 'd', source_from: null, target_label: null, rel_from: null },
    );
    const exported = await nested.export();
    expect(exported.split('\n')).toHaveLength(7);
    expect(await flat.export()).toBe(exported);
  });

  test('an array and lines say the same', async () => {
    const messages = [depends('Web:a', 'Db:b'), { source: at('Web:"\\\n'.trim()) }, { source: at('Web:[{,}]') }];
    const first = await newGraph(app);
    const second = await newGraph(app);
    expect(await first.add(...messages)).toEqual(await second.addLines(messages.map(line).join('')));
    expect(await first.export()).toBe(await second.export());
  });

  test('counts are exact: accepted, of them unchanged, and rejected with their lines', async () => {
    const graph = await newGraph(app);
    const text = [
      JSON.stringify(depends('Web:a', 'Db:b')),
      '',
      '{broken',
      JSON.stringify(depends('Web:a', 'Db:b')),
      '   ',
      '{"source": {"label": "web", "name": "x"}}',
      '[]',
      JSON.stringify({ source: at('Web:last') }),
    ].join('\n');
    expect(await graph.addLines(text)).toEqual({
      accepted: 3,
      unchanged: 1,
      rejected: 3,
      version: 1,
      errors: [
        { line: 3, message: 'the line is not valid JSON' },
        { line: 6, message: 'source.label must begin with a capital letter and contain only letters and digits' },
        { line: 7, message: 'a message must be a JSON object' },
      ],
    });
    expect(await graph.addLines(text)).toMatchObject({ accepted: 3, unchanged: 3, rejected: 3, version: 1 });
    expect(await graph.names('Web')).toEqual(['a', 'last']);
  });

  test('CRLF, a byte order mark and a missing last newline are welcome', async () => {
    const graph = await newGraph(app);
    const text = `\ufeff${['a', 'b', 'c'].map((name) => JSON.stringify({ source: at(`Web:${name}`) })).join('\r\n\r\n')}`;
    expect(await graph.addLines(text)).toMatchObject({ accepted: 3, rejected: 0 });
    expect(await graph.addLines('{\r\n')).toMatchObject({ rejected: 1, errors: [{ line: 1 }] });
  });

  test('a broken item of an array is rejected by its number, the others are taken', async () => {
    const graph = await newGraph(app);
    const item = (name: string) => JSON.stringify({ source: at(`Web:${name}`) });
    const answer = await graph.ask('POST', '/graph', { text: `[${item('a')}, {"source": oops}, 7, ${item('b')}]` });
    expect(answer.body).toMatchObject({ accepted: 2, rejected: 2, errors: [{ line: 2 }, { line: 3 }] });
    expect(await graph.names('Web')).toEqual(['a', 'b']);
  });

  test.each([
    '',
    '{}',
    '[',
    '[{"source": {"label": "Web", "name": "x"}}',
    '[{"source": {"label": "Web", "name": "x"}},]',
    '[]x',
    '"',
  ])('%j is no array: 400, and nothing of it is taken', async (text) => {
    const graph = await newGraph(app);
    const answer = await graph.ask('POST', '/graph', { text });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(/^The request body is not a JSON array: /);
    expect(await graph.labels()).toEqual([]);
  });

  test('only the first 100 errors are told, all are counted', async () => {
    const graph = await newGraph(app);
    const result = await graph.addLines('x\n'.repeat(250) + line({ source: at('Web:a') }));
    expect(result).toMatchObject({ accepted: 1, rejected: 250 });
    expect(result.errors.map((error) => error.line)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
  });

  test('nothing is a fine thing to send as lines, and an empty array too', async () => {
    const graph = await newGraph(app);
    const nothing = { accepted: 0, unchanged: 0, rejected: 0, version: 0, errors: [] };
    expect(await graph.addLines('')).toEqual(nothing);
    expect(await graph.addLines('\n\n')).toEqual(nothing);
    expect(await graph.add()).toEqual(nothing);
    await graph.add({ source: at('Web:a') });
    expect(await graph.add()).toEqual({ ...nothing, version: 1 });
  });

  test('several batches in one request are counted through', async () => {
    const graph = await newGraph(app);
    const filler = 'f'.repeat(900);
    const lines = Array.from({ length: 4000 }, (_, n) =>
      n % 1000 === 999 ? 'x\n' : line({ source: at(`Web:${n} ${filler}`) }),
    );
    const result = await graph.addLines(lines.join(''));
    expect(result).toMatchObject({ accepted: 3996, unchanged: 0, rejected: 4 });
    expect(result.errors.map((error) => error.line)).toEqual([1000, 2000, 3000, 4000]);
    expect((await graph.labels())[0].nodes_count).toBe(3996);
    expect(await graph.addLines(lines.join(''))).toMatchObject({
      accepted: 3996,
      unchanged: 3996,
      version: result.version,
    });
  });
});

describe('content types', () => {
  const body = line({ source: at('Web:a') });
  test.each([
    ['application/x-ndjson', 200],
    ['application/ndjson; charset=utf-8', 200],
    ['application/jsonl', 200],
    ['application/json', 400],
    ['text/plain', 415],
    ['application/xml', 415],
    ['multipart/form-data; boundary=x', 415],
    ['application/octet-stream', 415],
    ['nonsense', 415],
  ])('%s: %i', async (type, status) => {
    const graph = await newGraph(app);
    for (const method of ['POST', 'DELETE'])
      expect((await graph.ask(method, '/graph', { text: body, headers: { 'content-type': type } })).status).toBe(
        status,
      );
  });

  test('no body and no type: 415', async () => {
    const graph = await newGraph(app);
    expect((await graph.ask('POST', '/graph')).status).toBe(415);
    expect((await graph.ask('DELETE', '/graph')).status).toBe(415);
  });

  test('a compressed body is refused, not taken for broken lines', async () => {
    const graph = await newGraph(app);
    for (const type of ['application/x-ndjson', 'application/json']) {
      const answer = await rawRequest(await app.listen(), {
        method: 'POST',
        path: `/v1/teams/${graph.teamId}/graph`,
        headers: { 'content-type': type, 'content-encoding': 'gzip' },
        pieces: [gzipSync(body)],
      });
      expect(answer.status).toBe(415);
      expect(answer.text).toContain('Content-Encoding');
    }
    const headers = { ...ndjson, 'content-encoding': 'identity' };
    expect((await graph.ask('POST', '/graph', { text: body, headers })).status).toBe(200);
  });
});

describe('over a real socket', () => {
  const post = async (graph: GraphClient, pieces: Uint8Array[], type = 'application/x-ndjson') => {
    const path = `/v1/teams/${graph.teamId}/graph`;
    const answer = await rawRequest(await app.listen(), {
      method: 'POST',
      path,
      headers: { 'content-type': type },
      pieces,
    });
    return { status: answer.status, body: JSON.parse(answer.text) };
  };
  const cut = (bytes: Buffer, size: number): Buffer[] =>
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size));

  test('odd pieces, characters cut in the middle', async () => {
    const names = ['é', '😀/ü', '中文', 'a"b\\c'];
    const messages = names.map((name) => ({ source: at(`Web:${name}`) }));
    for (const size of [1, 3, 7]) {
      const graph = await newGraph(app);
      expect((await post(graph, cut(Buffer.from(messages.map(line).join('')), size))).body).toMatchObject({
        accepted: 4,
      });
      const array = Buffer.from(JSON.stringify(messages, null, 1));
      expect((await post(graph, cut(array, size), 'application/json')).body).toMatchObject({
        accepted: 4,
        unchanged: 4,
      });
      expect((await graph.names('Web')).toSorted()).toEqual(names.toSorted());
    }
  });

  test('a line of 10 MB is rejected alone', async () => {
    const graph = await newGraph(app);
    const long = `{"source":{"label":"Web","name":"long"},"note":"${'n'.repeat(10_000_000)}"}\n`;
    const bytes = Buffer.from(line({ source: at('Web:a') }) + long + line({ source: at('Web:b') }));
    expect((await post(graph, cut(bytes, 60_000))).body).toMatchObject({
      accepted: 2,
      rejected: 1,
      errors: [{ line: 2 }],
    });
    expect(await graph.names('Web')).toEqual(['a', 'b']);
  });

  test('an upload that breaks off leaves whole items, and the next request works', async () => {
    const graph = await newGraph(app);
    const { hostname, port } = new URL(await app.listen());
    const filler = 'f'.repeat(1000);
    const lines = Array.from({ length: 3000 }, (_, n) => line(depends(`Web:${n} ${filler}`, `Db:${n}`))).join('');
    await new Promise<void>((resolve) => {
      const sent = request({
        hostname,
        port,
        method: 'POST',
        path: `/v1/teams/${graph.teamId}/graph`,
        headers: { ...ndjson, authorization: `Bearer ${adminToken}`, 'content-length': String(lines.length * 2) },
      });
      sent.on('error', () => resolve());
      // The last line is cut in the middle.
      sent.write(lines.slice(0, -20), () => setTimeout(() => sent.destroy(new Error('gone')), 100));
    });
    expect(await graph.addLines(line({ source: at('After:a') }))).toMatchObject({ accepted: 1 });
    const [web, db] = [await graph.names('Web'), await graph.names('Db')];
    expect(web).toHaveLength(db.length);
    expect(db).not.toContain('2999');
    expect(db.length).toBeGreaterThan(0);
    for (const name of db.slice(0, 5)) expect(await graph.impactedCount(`Db:${name}`)).toBe(1);
    // The service may still be busy with what it had received.
    const again = await graph.addLines(lines);
    expect(again.accepted).toBe(3000);
    expect(again.unchanged).toBeGreaterThanOrEqual(db.length);
    expect(again.unchanged).toBeLessThan(3000);
    expect(await graph.names('Db')).toHaveLength(3000);
  });
});

/** The laws of the contract, "In messages: …". */
describe('periods', () => {
  const after = async (...rels: ({ from?: number; to?: number } | undefined)[]) => {
    const graph = await newGraph(app);
    for (const rel of rels) await graph.add(depends('Web:a', 'Db:b', rel));
    return graph.periods('Web:a', 'Db:b');
  };
  test.each([
    [[undefined], []],
    [[{}], []],
    [
      [undefined, { to: 200 }],
      [0, 200],
    ],
    [
      [{ to: 200 }, undefined],
      [0, 200],
    ],
    [[{ to: 200 }], [0, 200]],
    [
      [{ to: 200 }, { from: 100 }],
      [100, 200],
    ],
    [[{ from: 100 }], [100]],
    [
      [{ from: 100 }, { to: 200 }, { from: 300 }],
      [100, 200, 300],
    ],
    [
      [{ from: 100 }, { to: 200, from: 300 }],
      [100, 200, 300],
    ],
    [
      [
        { from: 100, to: 200 },
        { from: 300, to: 400 },
      ],
      [100, 200, 300, 400],
    ],
    [[{ from: 100, to: 100 }], [100, 100]],
    [[{ from: 0 }], [0]],
  ])('%j → %j', async (rels, expected) => {
    expect(await after(...rels)).toEqual(expected);
    expect(await after(...rels, ...rels)).toEqual(expected);
  });

  test('properties of a node that are left out stay', async () => {
    const graph = await newGraph(app);
    await graph.add({ source: at('Web:a', { from: 1 }) });
    await graph.add({ source: at('Web:a', { to: 2 }) }, depends('Web:a', 'Db:b'));
    expect(await graph.node('Web:a', 'alone')).toEqual({ name: 'a', from: 1, to: 2 });
    await graph.add({ source: at('Web:a', { from: null }) });
    expect(await graph.node('Web:a', 'alone')).toEqual({ name: 'a', to: 2 });
  });

  test.each([
    [{ from: -1 }, 'rel.from'],
    [{ from: 1.5 }, 'rel.from'],
    [{ to: '7' }, 'rel.to'],
    [{ to: 2 ** 53 }, 'rel.to'],
    [{ from: true }, 'rel.from'],
    [[], 'rel must be an object'],
  ])('rel %j is rejected', async (rel, message) => {
    const graph = await newGraph(app);
    const result = await graph.add({ ...depends('Web:a', 'Db:b'), rel });
    expect(result).toMatchObject({ accepted: 0, rejected: 1 });
    expect(result.errors[0].message).toContain(message);
    expect(await graph.labels()).toEqual([]);
  });

  test('messages taken back leave what the others say', async () => {
    const graph = await newGraph(app);
    await graph.add(depends('Web:a', 'Db:b', { from: 100, to: 200 }), depends('Web:a', 'Db:b', { from: 300 }));
    expect(await graph.takeBack(depends('Web:a', 'Db:b', { from: 300 }))).toMatchObject({ accepted: 1, unchanged: 0 });
    expect(await graph.periods('Web:a', 'Db:b')).toEqual([100, 200]);
    expect(await graph.takeBack(depends('Web:a', 'Db:b', { from: 300 }))).toMatchObject({ accepted: 1, unchanged: 1 });
    expect(await graph.takeBackLines(`${line(depends('Web:a', 'Db:b', { from: 100, to: 200 }))}x\n`)).toMatchObject({
      accepted: 1,
      rejected: 1,
    });
    expect(await graph.periods('Web:a', 'Db:b')).toBeUndefined();
    expect(await graph.count('Web:a')).toBe(0);
    expect(await graph.takeBack(depends('Web:nobody', 'Db:b'))).toMatchObject({ accepted: 1, unchanged: 1 });
    expect(await graph.names('Web')).toEqual(['a']);
  });

  test('any order and any repetition of messages with explicit times gives the same graph', async () => {
    const time = fc.integer({ min: 0, max: 9 });
    const rel = fc.option(fc.record({ from: time, to: time }, { requiredKeys: [] }), { nil: undefined });
    const message = fc.tuple(fc.constantFrom('Web:a', 'Web:b'), fc.constantFrom('Db:c', 'Web:a'), rel);
    const order = fc
      .array(message, { minLength: 1, maxLength: 8 })
      .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 })));
    await fc.assert(
      fc.asyncProperty(order, async ([all, shuffled]) => {
        const first = await newGraph(app);
        const second = await newGraph(app);
        await first.add(...all.map((one) => depends(...one)));
        const half = shuffled.length / 2;
        await second.add(...shuffled.slice(0, half).map((one) => depends(...one)));
        await second.add(...shuffled.slice(half).map((one) => depends(...one)));
        const sorted = async (graph: GraphClient) => (await graph.export()).split('\n').toSorted();
        expect(await sorted(second)).toEqual(await sorted(first));
        for (const [source, target] of all)
          expect(await second.periods(source, target)).toEqual(await first.periods(source, target));
      }),
      { numRuns: 25 },
    );
  });
});

test('many writers of one team at once converge, deletions among them', async () => {
  const graph = await newGraph(app);
  const writers = Array.from({ length: 12 }, async (_, writer) => {
    for (let n = 0; n < 8; n++) {
      await graph.add(depends(`Web:${n}`, 'Db:shared', { from: writer }), depends(`Web:${writer}-${n}`, `Web:${n}`));
      expect(n % 3 === 0 ? await graph.remove(`Web:${writer}-${n}`, 'detach') : 200).toBe(200);
      expect(await graph.remove('Web:nobody')).toBe(404);
    }
  });
  await Promise.all(writers);
  expect(await graph.names('Web')).toHaveLength(8 + 12 * 5);
  expect(await graph.periods('Web:7', 'Db:shared')).toEqual([0]);
  expect(await graph.impactedCount('Db:shared')).toBe(8 + 12 * 5);
  expect(await graph.addLines((await graph.export()).replaceAll('\r', ''))).toMatchObject({ rejected: 0 });
});

test('a member may not write, an editor may, and who is refused sends in vain', async () => {
  const graph = await newGraph(app);
  const user = await app.createUser();
  await app.grant(graph.teamId, user.name, 'member');
  const { token } = await app.createToken(user.id);
  const theirs = createGraphClient(app, graph.teamId, token);
  const answer = await theirs.ask('POST', '/graph', { body: [{ source: at('Web:a') }] });
  expect(answer.status).toBe(403);
  expect(await graph.labels()).toEqual([]);
});
