import { internalBuiltIns } from '../plan.ts';
import type { Definition } from './compile.ts';
import { checkHome } from './home-check.ts';
import { builtInNames } from './item-body.ts';

/** Definitions that come with the service: the same language and the same compiler, and tasks that files of a home cannot name. */
export function compileBuiltIns(yaml: string, nowMs: number): Definition[] {
  const file = { path: 'workflows.yml', text: yaml };
  const names = { builtIn: [...builtInNames, ...internalBuiltIns], reservedProject: undefined };
  const { definitions, faults } = checkHome([file], nowMs, names);
  if (faults.length > 0) throw new Error(`A definition of the service itself is wrong: ${faults[0].message}`);
  return [...definitions.values()].map((definition) => ({ ...definition, isBuiltIn: true }));
}
