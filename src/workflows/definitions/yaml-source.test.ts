import fc from 'fast-check';
import { expect, test } from 'vitest';
import { follow, readYaml } from './yaml-source.ts';

const text = `# comment
shop.ORDER:
  timeout: 600
  tasks:
    - A
    - B: { type: "group" }
`;

test('every key and value knows where it stands', () => {
  const source = readYaml('workflows.yml', text);
  const at = (...path: string[]) => {
    const place = follow(source.place, path);
    return [source.fault(place.key, ''), source.fault(place.value, '')].map(({ line, column }) => `${line}:${column}`);
  };
  expect(source.value).toEqual({ 'shop.ORDER': { timeout: 600, tasks: ['A', { B: { type: 'group' } }] } });
  expect(at('shop.ORDER')).toEqual(['2:1', '3:3']);
  expect(at('shop.ORDER', 'timeout')).toEqual(['3:3', '3:12']);
  expect(at('shop.ORDER', 'tasks', '0')).toEqual(['5:7', '5:7']);
  expect(at('shop.ORDER', 'tasks', '1', 'B', 'type')).toEqual(['6:12', '6:18']);
});

test('the text of a scalar is found exactly where YAML leaves it as written', () => {
  const source = readYaml('f', `a: plain\nb: "quoted"\nc: "es\\u0063aped"\nd: |\n  block\n`);
  const textAt = (key: string) => follow(source.place, [key]).text;
  expect([textAt('a'), textAt('b'), textAt('c'), textAt('d')]).toEqual([3, 13, undefined, undefined]);
});

test('a key that is there twice is a fault at the second one, and the first one holds', () => {
  const source = readYaml('f', 'p.A:\n  timeout: 1\n  timeout: 2\np.A: 3\n');
  expect(source.value).toEqual({ 'p.A': { timeout: 1 } });
  expect(source.faults).toMatchObject([
    { line: 3, column: 3, workflow: 'p.A' },
    { line: 4, column: 1 },
  ]);
});

test('anchors, aliases and merges work; later keys win over merged ones', () => {
  const source = readYaml('f', 'base: &b { x: 1, y: 2 }\na:\n  <<: *b\n  y: 3\nl: [*b]\nm: { <<: [*b, { z: 1 }] }\n');
  expect(source.value).toMatchObject({ a: { x: 1, y: 3 }, l: [{ x: 1, y: 2 }], m: { x: 1, y: 2, z: 1 } });
});

test.each([
  ['what is not YAML', 'a: [1, 2\nb: 3', 'not YAML'],
  ['a tab as indentation', 'a:\n\tb: 1', 'not YAML'],
  ['an alias without an anchor', 'a: *nobody', 'nobody'],
  ['an alias inside what it names', 'a: &a [*a]', 'inside what it names'],
  ['too deep a nesting', `${'['.repeat(500)}${']'.repeat(500)}`, 'nested'],
  ['far too deep a nesting', '['.repeat(50_000), ''],
  ['too large a file', `a: ${'x'.repeat(1024 * 1024)}`, '1 MiB'],
])('%s is one readable fault', (_what, broken, message) => {
  const source = readYaml('f', broken);
  expect(source.value).toBeUndefined();
  expect(source.faults[0].message).toContain(message);
});

test('a bomb of aliases is refused before it goes off', () => {
  const rows = Array.from({ length: 12 }, (_, index) =>
    index === 0
      ? 'a0: &a0 [x, x, x, x, x, x, x, x, x]'
      : `a${index}: &a${index} [${Array.from({ length: 9 }, () => `*a${index - 1}`).join(', ')}]`,
  );
  expect(readYaml('f', rows.join('\n')).faults[0].message).toContain('200000 values');
});

test('values that JSON does not have are text', () => {
  expect(readYaml('f', 'a: .inf\nb: .nan\nc: 2026-11-15\nd: 0x1F\n? 1\n: one\ntrue: yes\n').value).toEqual({
    a: '.inf',
    b: '.nan',
    c: '2026-11-15',
    d: 31,
    1: 'one',
    true: 'yes',
  });
});

const token = fc.constantFrom(
  'a',
  'b',
  ':',
  ': ',
  '\n',
  '\n  ',
  '\n    ',
  '- ',
  '[',
  ']',
  '{',
  '}',
  ',',
  '"',
  "'",
  '|',
  '>',
  '&x ',
  '*x',
  '<<: ',
  '#',
  '? ',
  '!!str ',
  '---\n',
  '...\n',
  '%YAML',
  '\t',
  'é',
  '\u0000',
  '\r\n',
  '@',
  '`',
  '1',
  'null',
  '~',
);

test('no text makes the reader throw, and every fault lies within the text', () => {
  const anything = fc.oneof(
    fc.array(token, { maxLength: 40 }).map((tokens) => tokens.join('')),
    fc.string({ unit: 'binary', maxLength: 80 }),
  );
  fc.assert(
    fc.property(anything, (random) => {
      const source = readYaml('f', random);
      const lines = random.split('\n').length;
      for (const fault of source.faults) {
        expect(fault.line).toBeGreaterThanOrEqual(1);
        expect(fault.line).toBeLessThanOrEqual(lines);
        expect(fault.column).toBeGreaterThanOrEqual(1);
      }
    }),
    { numRuns: 3000 },
  );
});
