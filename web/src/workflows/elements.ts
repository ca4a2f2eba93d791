import type { InstanceTask } from '../../../src/workflows/workflows.schemas.ts';

/** The elements of each foreach, by its id, in the order of the list. */
export function groupElements(tasks: readonly InstanceTask[]): Map<string, InstanceTask[]> {
  const groups = new Map<string, InstanceTask[]>();
  for (const task of tasks) {
    if (task.parent === null) continue;
    const group = groups.get(task.parent);
    if (group) group.push(task);
    else groups.set(task.parent, [task]);
  }
  for (const group of groups.values()) group.sort((a, b) => (a.element ?? 0) - (b.element ?? 0));
  return groups;
}
