import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { formatSchema, workflowsSchemaFile } from '../../../scripts/workflows-schema.ts';
import { makeEditorSchema } from './editor-schema.ts';
import { readHome, stampHome } from './home-files.ts';

const committed = await readFile(workflowsSchemaFile, 'utf8');
const validate = new Ajv2020({ strict: false, allErrors: true }).compile(JSON.parse(committed));

test('docs/workflows.schema.json is what the format says', () => {
  const isFresh = committed === formatSchema(makeEditorSchema());
  expect(isFresh, 'docs/workflows.schema.json is out of date: run `npm run workflows-schema` and commit it').toBe(true);
});

async function definitionTexts(folder: string): Promise<string[]> {
  const home = fileURLToPath(new URL(folder, import.meta.url));
  const files = await readHome(home, await stampHome(home));
  return files.flatMap((file) => ('text' in file && /^workflows(\/.*)?\.ya?ml$/.test(file.path) ? [file.text] : []));
}

test.each(['../../../examples/home', '../../../test/fixtures/director-home'])(
  'the definitions in %s fit it',
  async (folder) => {
    const texts = await definitionTexts(folder);
    const results = texts.map((text) => ({ isValid: validate(parse(text)), errors: validate.errors }));
    expect(results.length).toBeGreaterThan(0);
    expect(results.filter(({ isValid }) => !isValid)).toEqual([]);
  },
);

test.each([
  'p.W: { tasks: [] }',
  'p.W: { task: [A] }',
  'W: { tasks: [A] }',
  'p.W: { tasks: [X: { type: grop, tasks: [A] }] }',
  'p.W: { tasks: [X: { type: group }, { Y: { run: A }, Z: { run: B } }] }',
  'p.W: { tasks: [X: { type: group, tasks: [Y: { type: foreach, over: a }] }] }',
  'p.W: { tasks: [A], periodic: { interval: often } }',
])('%s does not fit it', (text) => {
  expect(validate(parse(text))).toBe(false);
});
