/**
 * Tasks: each exported function is one, and its name is the task's name. What it returns (anything that JSON can say) is its
 * result; what it throws makes it fail, and the workflow's "retry" decides whether it is tried again.
 * The file runs as it is, in a process of its own, and is loaded anew when it changes.
 */
type Context<Payload = Record<string, unknown>, Previous = unknown> = {
  /** Given when the instance was started. */
  payload: Payload;
  /** The result of the task before; a list of them after a group. */
  previous: Previous;
  /** The results of all tasks that this one depends on, by key. */
  results: Record<string, unknown>;
  instance: { id: string; fullname: string };
  /** `id` and `attempt` together are unique: a key for calls that must not be made twice. */
  task: { id: string; key: string; attempt: number };
  /** A line of the task's log. */
  log: (...parts: unknown[]) => void;
  /** Aborts when the task is canceled, takes too long, or the service stops. */
  signal: AbortSignal;
  /** How far it is, from 0 to 1. */
  progress: (fraction: number) => void;
  /** In a foreach: the element. */
  item?: unknown;
};

export async function GREET({ payload, log }: Context<{ name?: string }>) {
  const text = `Hello, ${payload.name ?? 'world'}`;
  log(text);
  return { text };
}

export const SHOUT = ({ previous }: Context<object, { text: string }>) => `${previous.text.toUpperCase()}!`;

export const COUNT = ({ previous }: Context<object, { text: string }>) => previous.text.length;

/** After a group, `previous` has the results in the order of the definition. */
export const SUM_UP = ({ previous: [loud, letters] }: Context<object, [string, number]>) =>
  `${loud} (${letters} characters)`;

export const LIST = ({ payload }: Context<{ parcels?: number }>) =>
  Array.from({ length: payload.parcels ?? 8 }, (_, index) => ({ parcel: index + 1 }));

export async function PACK({ item, log, signal, progress }: Context) {
  for (let step = 1; step <= 5; step++) {
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 200));
    progress(step / 5);
  }
  if (Math.random() < 0.1) throw new Error('The tape is empty');
  log('packed', item);
  return item;
}

export const SEND = ({ instance, log }: Context) => log(`${instance.fullname} is on its way`);

export const TELL = ({ instance, log }: Context) => log(`${instance.fullname} went wrong`);

export const TELL_TIME = () => new Date().toISOString();
