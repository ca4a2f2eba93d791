import { badRequest } from '../errors.ts';
import { missingVariables, type OwnerVariables, parseTemplate } from './query-template.ts';

/** Refuses a change after which queries of these checks would ask for variables that are not there. Owners that are left out do not matter. */
export function refuseMissingVariables(
  checks: ReadonlyArray<{ name: string; query: string }>,
  known: Partial<OwnerVariables>,
  path: string,
): void {
  const details = checks.flatMap(({ name, query }) => {
    const parsed = parseTemplate(query);
    const missing = 'template' in parsed ? missingVariables(parsed.template, known) : [];
    return missing.map((variable) => ({ path, message: `the check "${name}" needs ${variable}` }));
  });
  if (details.length === 0) return;
  throw badRequest(`Queries need variables that would not be there: ${details[0].message}.`, details.slice(0, 100));
}
