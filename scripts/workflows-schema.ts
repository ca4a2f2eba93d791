/** `npm run workflows-schema`: writes the JSON Schema of workflow definitions, for editors, to docs/workflows.schema.json. */
import { writeFile } from 'node:fs/promises';
import { makeEditorSchema } from '../src/workflows/definitions/editor-schema.ts';

export const workflowsSchemaFile = new URL('../docs/workflows.schema.json', import.meta.url);

export const formatSchema = (schema: unknown): string => `${JSON.stringify(schema, null, 2)}\n`;

if (import.meta.main) await writeFile(workflowsSchemaFile, formatSchema(makeEditorSchema()));
