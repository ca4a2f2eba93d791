import type { Json } from '../plan.ts';
import type { Fault } from './fault.ts';
import { compilePayloadSchema } from './payload-schema.ts';
import { follow, readYaml } from './yaml-source.ts';

export type SchemaFile = { schema: Json } | { fault: string };

/** schemas/order.json is "order", schemas/shop/order.json is "shop/order". */
export function readSchemas(files: { path: string; text: string }[], faults: Fault[]): Map<string, SchemaFile> {
  const schemas = new Map<string, SchemaFile>();
  for (const { path, text } of files) {
    if (!path.startsWith('schemas/') || !path.endsWith('.json')) continue;
    schemas.set(path.slice('schemas/'.length, -'.json'.length), readSchema(path, text, faults));
  }
  return schemas;
}

function readSchema(path: string, text: string, faults: Fault[]): SchemaFile {
  // JSON is YAML, so the reader of YAML knows where everything stands.
  const source = readYaml(path, text);
  let schema: Json;
  try {
    schema = JSON.parse(text);
  } catch {
    faults.push(source.fault(findJsonFault(text), 'This is not JSON from here on.'));
    return { fault: 'it is not JSON.' };
  }
  const compiled = compilePayloadSchema(schema);
  if (!('faults' in compiled)) return { schema };
  for (const fault of compiled.faults) faults.push(source.fault(follow(source.place, fault.path).value, fault.message));
  return { fault: 'it is not a valid JSON Schema.' };
}

/** JSON.parse does not always say where it stopped; halving finds the longest beginning that could still become JSON. */
function findJsonFault(text: string): number {
  let [good, bad] = [0, text.length + 1];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isBeginning(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const position = /at position (\d+)/.exec(message)?.[1];
    return /end of JSON|Unterminated string/.test(message) || Number(position) === text.length;
  }
}
