import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/harness/app.ts';
import { at, depends, type GraphClient, newGraph } from '../../test/harness/graph.ts';

const nasty = [
  'plain',
  '"quoted"',
  '</data><x>',
  'a & b',
  '&lt;',
  ']]>',
  'back\\',
  '\\n',
  '`$(x)`',
  '#35;',
  'a|b',
  '[x]{y}(z)',
  'end',
  '--> b',
  '%% c',
  '\uffff',
  '\ufffe',
  '😀',
  "'",
  '\u2028',
  ';',
];

let app: TestApp;
let graph: GraphClient;
beforeAll(async () => {
  app = await startTestApp();
  graph = await newGraph(app);
  await graph.add(
    ...nasty.map((name, n) => ({
      source: at(`Web:${name}`, n % 2 ? { from: n } : undefined),
      target: at('Db:d'),
      rel: { from: n, to: n + 5 },
    })),
    depends('Web:plain', 'Db:d', { to: 3 }),
    depends('Web:plain', 'Db:d'),
    depends('Db:d', 'Db:d'),
    { source: at('Lone:l', { from: 1, to: 2 }) },
  );
});

test('lines posted into another team make an equal graph', async () => {
  const copy = await newGraph(app);
  const text = await graph.export('format=ndjson');
  expect(await copy.addLines(text)).toMatchObject({ rejected: 0, unchanged: 0 });
  expect(await copy.export()).toBe(text);
  expect(await copy.periods('Web:plain', 'Db:d')).toEqual(await graph.periods('Web:plain', 'Db:d'));
  expect(await graph.addLines(text)).toMatchObject({ unchanged: text.split('\n').length - 1 });
});

test('more rows than one portion are all there, once', async () => {
  const large = await newGraph(app);
  await large.add(...Array.from({ length: 2500 }, (_, n) => depends(`Web:${n}`, 'Db:d')));
  const lines = (await large.export()).trimEnd().split('\n');
  expect(new Set(lines).size).toBe(2501 + 2500);
});

test.each(['ndjson', 'dot', 'mermaid', 'graphml', 'cytoscape'])('an empty graph as %s', async (format) => {
  const text = await (await newGraph(app)).export(`format=${format}`);
  expect(text).toMatchSnapshot();
});

test('cytoscape is JSON with every element', async () => {
  const { elements } = JSON.parse(await graph.export('format=cytoscape'));
  expect(elements.nodes.map((node: { data: { name: string } }) => node.data.name)).toEqual(
    expect.arrayContaining(nasty),
  );
  expect(elements.edges).toHaveLength(nasty.length + 1);
  const ids = new Set(elements.nodes.map((node: { data: { id: string } }) => node.data.id));
  for (const { data } of elements.edges) expect(ids.has(data.source) && ids.has(data.target)).toBe(true);
});

test('GraphML is well-formed XML that says the names', async () => {
  const text = await graph.export('format=graphml');
  const { names, edges } = readXml(text);
  // XML has no way to write these two.
  expect(names).toEqual(expect.arrayContaining(nasty.map((name) => name.replace(/[\uffff\ufffe]/, '\ufffd'))));
  expect(edges).toBe(nasty.length + 1);
});

test('DOT is quoted so that every statement is what it seems', async () => {
  const lines = (await graph.export('format=dot')).split('\n').slice(2, -2);
  const node = /^ {2}n\d+ \[label="((?:[^"\\]|\\\\|\\"|\\n)*)"\];$/;
  const edge = /^ {2}n\d+ -> n\d+( \[tooltip="[\d ]+"\])?;$/;
  const names = lines.map((line) => node.exec(line)?.[1]).filter((label) => label !== undefined);
  expect(lines.filter((line) => !node.test(line) && !edge.test(line))).toEqual([]);
  // Graphviz reads entities in labels as HTML does, so an ampersand has to be one.
  const read = names.map((label) =>
    label.split('\\n').slice(1).join('\\n').replace(/\\(.)/g, '$1').replaceAll('&amp;', '&'),
  );
  expect(names.filter((label) => /&(?!amp;)/.test(label))).toEqual([]);
  expect(read).toEqual(expect.arrayContaining(nasty.filter((name) => name !== '\\n')));
});

test('Mermaid has nothing in its quotes that it would read as syntax', async () => {
  const lines = (await graph.export('format=mermaid')).trimEnd().split('\n').slice(1);
  const node = /^ {2}n\d+\["(?:[\p{L}\p{N} ._:/@-]|#\d+;)*"\]$/u;
  expect(lines.filter((line) => !node.test(line) && !/^ {2}n\d+ --> n\d+$/.test(line))).toEqual([]);
  const names = lines
    .filter((line) => node.test(line))
    .map((line) =>
      line
        .slice(line.indexOf('"') + 1, -2)
        .replace(/#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
        .replace(/^\w+: /, ''),
    );
  expect(names).toEqual(expect.arrayContaining(nasty));
});

/** Web:1 → Web:2 → Web:3 → Web:4, Web:2 → Db:d */
describe('a neighbourhood', () => {
  let line: GraphClient;
  beforeAll(async () => {
    line = await newGraph(app);
    await line.add(
      depends('Web:1', 'Web:2'),
      depends('Web:2', 'Web:3'),
      depends('Web:3', 'Web:4'),
      depends('Web:2', 'Db:d'),
    );
  });
  const names = async (query: string) => {
    const messages = (await line.export(`label=Web&name=2&${query}`))
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text));
    return messages
      .filter(({ target }) => !target)
      .map(({ source }): string => source.name)
      .toSorted()
      .join(' ');
  };
  test.each([
    ['', '1 2 3 d'],
    ['depth=0', '2'],
    ['depth=2', '1 2 3 4 d'],
    ['depth=99999999999999999999', '1 2 3 4 d'],
    ['direction=dependencies', '2 3 d'],
    ['direction=dependencies&depth=2', '2 3 4 d'],
    ['direction=impacted&depth=9', '1 2'],
    ['direction=both', '1 2 3 d'],
  ])('%s', async (query, expected) => {
    expect(await names(query)).toBe(expected);
  });

  test('has only relationships between its own nodes', async () => {
    const messages = (await line.export('label=Web&name=2&direction=impacted'))
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text));
    expect(messages.filter(({ target }) => target)).toEqual([depends('Web:1', 'Web:2')]);
  });

  test.each([
    ['label=Web', 400],
    ['name=2', 400],
    ['label=Web&name=nobody', 404],
    ['label=Web&name=2&direction=up', 400],
    ['label=Web&name=2&depth=-1', 400],
    ['format=pdf', 400],
    ['format=', 400],
    ['format=dot&format=dot', 400],
  ])('?%s is %i', async (query, status) => {
    expect((await line.ask('GET', '/graph/export', { query })).status).toBe(status);
  });

  test('of more than 10,000 nodes is refused, not cut', async () => {
    const hub = await newGraph(app);
    await hub.addLines(
      Array.from({ length: 10_000 }, (_, n) => `${JSON.stringify(depends(`Web:${n}`, 'Db:hub'))}\n`).join(''),
    );
    const answer = await hub.ask('GET', '/graph/export', { query: 'label=Db&name=hub' });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain('10000 nodes');
    await hub.remove('Web:0', 'detach');
    expect((await hub.export('label=Db&name=hub&format=dot')).split('\n')).toHaveLength(2 + 10_000 + 9999 + 2);
  });
});

/** Strict enough to refuse what an XML parser would: unknown entities, stray angle brackets, unbalanced tags, forbidden characters. */
function readXml(text: string): { names: string[]; edges: number } {
  expect(text).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n/);
  // oxlint-disable-next-line no-control-regex
  expect(text).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
  const open: string[] = [];
  const closed: [string | undefined, string][] = [];
  const names: string[] = [];
  let edges = 0;
  for (const [, tag, content] of text.replace(/^<\?.*\?>\n/, '').matchAll(/<([^<>]*)>([^<]*)/g)) {
    expect(content).not.toMatch(/&(?!#\d+;)|>/);
    const name = /^\/?[a-z]+/.exec(tag)?.[0] ?? '';
    expect(tag).toMatch(/^\/?[a-z]+( [a-z.]+="[^"<&]*")*\/?$/);
    if (name.startsWith('/')) closed.push([open.pop(), name.slice(1)]);
    else if (!tag.endsWith('/')) open.push(name);
    if (name === 'edge') edges++;
    if (tag === 'data key="name"')
      names.push(content.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code))));
  }
  expect(open).toEqual([]);
  expect(closed.filter(([opened, name]) => opened !== name)).toEqual([]);
  return { names, edges };
}
