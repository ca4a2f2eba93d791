/** What a task is called with. Only types: a task file needs nothing at run time but what it imports itself. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type Task<Previous = Json, Payload = Record<string, Json>> = {
  /** What the workflow was started with. */
  payload: Payload;
  /** The result of the task before; a list after a group or several `needs`; null for the first. */
  previous: Previous;
  /** The results of all finished ancestors, by key. */
  results: Record<string, Json>;
  instance: { id: string; project: string; name: string; fullname: string };
  /** `id` and `attempt` together are unique to this run of the task. */
  task: { id: string; key: string; attempt: number };
  /** The arguments that the definition gives, expressions filled in. */
  with?: Json;
  /** In a foreach: the element and its place. */
  item?: Json;
  index?: number;
  /** In a hook: what happened. */
  hook?: {
    outcome: 'init' | 'success' | 'failure';
    status: string;
    failed: { key: string; error: { message: string } } | null;
  };
  log: (...values: unknown[]) => void;
  /** Aborts on cancel, time-out and shutdown. */
  signal: AbortSignal;
  progress(fraction: number): void;
};
