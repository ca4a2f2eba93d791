/** How a computation is getting on; the words of workflows. */
export const runStates = ['pending', 'progress', 'success', 'error', 'canceled'] as const;
export type RunState = (typeof runStates)[number];
