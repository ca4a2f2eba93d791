import type { Definition } from './compile.ts';

/** `next` is the workflow that it starts on the way back to itself. */
export type WorkflowCycle = { fullname: string; next: string; message: string };

/** Workflows that would start themselves for ever, directly or through others. Each one on a cycle is told once. */
export function findWorkflowCycles(definitions: Map<string, Definition>): WorkflowCycle[] {
  const calls = new Map(
    [...definitions].map(([fullname, { plan }]) => [
      fullname,
      [...new Set(plan.items.flatMap(({ workflow }) => workflow?.fullname ?? []))],
    ]),
  );
  const found: WorkflowCycle[] = [];
  for (const fullname of calls.keys()) {
    const path = findWayBack(fullname, calls);
    if (!path) continue;
    const round = [...path, fullname];
    found.push({ fullname, next: round[1], message: `This workflow starts itself: ${round.join(' starts ')}.` });
  }
  return found;
}

/** The shortest way from a workflow to itself. */
function findWayBack(start: string, calls: Map<string, string[]>): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const pending = [start];
  for (let current = pending.shift(); current !== undefined; current = pending.shift()) {
    for (const next of calls.get(current) ?? []) {
      if (next === start) {
        const path = [current];
        for (let step = cameFrom.get(current); step !== undefined; step = cameFrom.get(step)) path.unshift(step);
        return path;
      }
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, current);
      pending.push(next);
    }
  }
  return undefined;
}
