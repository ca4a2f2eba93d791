import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Escaping, fillTemplate, missingVariables, parseTemplate } from './query-template.ts';

const node = { name: 'web-1', label: 'Web', start: 100, end: 200 };
const variables = { team: { region: 'eu' }, rule: { 'a-b': 'r' }, source: { db: 's' }, check: { job: 'c' } };

function parsed(text: string) {
  const result = parseTemplate(text);
  if ('fault' in result) throw new Error(result.fault);
  return result.template;
}
const fill = (text: string, more: Partial<typeof node> = {}, escaping: Escaping = 'backslash') =>
  fillTemplate(parsed(text), { ...node, ...more }, variables, escaping);

test.each([
  ['up', 'up'],
  ['up{host="{{ name }}"}', 'up{host="web-1"}'],
  ['{{depc.name}} {{ label }} {{ start }}:{{ depc.end }}', 'web-1 Web 100:200'],
  ['{{ team.region }}{{ depc.team[\'region\'] }}{{ team["region"] }}', 'eueueu'],
  ['{{ rule.a-b }}{{ source.db }}{{ check.job }}', 'rsc'],
  // The brace of the query itself follows at once.
  ['sum:cpu{host={{ name }}}', 'sum:cpu{host=web-1}'],
  ['{"a":{"b":{"c":1}}}', '{"a":{"b":{"c":1}}}'],
])('%s becomes %s', (template, text) => {
  expect(fill(template)).toEqual({ text });
});

test.each([
  ['{{ nme }}', 'is not known'],
  ['{{ team }}', 'is not known'],
  ['{{ team.a.b }}', 'is not known'],
  ['{{ }}', 'is not known'],
  ['{{ name', 'is not closed'],
])('%s is no template', (text, fault) => {
  expect(parseTemplate(text)).toEqual({ fault: expect.stringContaining(fault) });
});

describe('a value stays in the text that it stands in', () => {
  test.each([
    [`x="{{ name }}"`, `x="a\\"b'c\\\\d"`],
    [`x='{{ name }}'`, `x='a"b\\'c\\\\d'`],
    ['x=`{{ name }}`', 'x=`a"b\'c\\d`'],
    [`x="it's {{ name }}"`, `x="it's a\\"b'c\\\\d"`],
    [`x="\\"{{ name }}"`, `x="\\"a\\"b'c\\\\d"`],
    [`# don't\nx="{{ name }}"`, `# don't\nx="a\\"b'c\\\\d"`],
  ])('%s', (template, text) => {
    expect(fill(template, { name: `a"b'c\\d` })).toEqual({ text });
  });

  test('in WarpScript with percents', () => {
    expect(fill(`'{{ name }}'`, { name: `it's 100% "ü"` }, 'percent')).toEqual({
      text: "'it%27s%20100%25%20%22%C3%BC%22'",
    });
  });

  test('whatever the name is, JSON between double quotes reads it back', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 30 }).filter((text) => !/[\u0000-\u001f]/.test(text)),
        (name) => {
          const filled = fill('{"host": "{{ name }}"}', { name });
          expect('text' in filled && JSON.parse(filled.text)).toEqual({ host: name });
        },
      ),
    );
  });

  test.each(['a b', "a' or '1'='1", 'x}', 'a--b', 'a;b', ''])('outside of quotes the name %j is refused', (name) => {
    expect(fill('x={{ name }}', { name })).toEqual({ fault: expect.stringContaining('between quotes') });
  });

  test('between backticks nothing can be escaped', () => {
    expect(fill('x=`{{ name }}`', { name: 'a`b' })).toEqual({ fault: expect.stringContaining('cannot stand') });
  });
});

test('what nobody has is missing; owners that are not given are not looked at', () => {
  const template = parsed('{{ team.region }}{{ team.none }}{{ team.none }}{{ rule.none }}{{ check.constructor }}');
  expect(missingVariables(template, { team: variables.team })).toEqual(['team.none']);
  expect(missingVariables(template, variables)).toEqual(['team.none', 'rule.none', 'check.constructor']);
  expect(fillTemplate(template, node, variables, 'backslash')).toEqual({
    fault: expect.stringContaining('team.none, rule.none, check.constructor'),
  });
});
