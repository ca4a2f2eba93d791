/** The same tasks as those of the peers: bench/workflows/shapes.ts says what they return. */
import { createSocket } from 'node:dgram';

type Result = { n: number };
type Context<Previous> = { payload: { tellPort?: number }; previous: Previous; instance: { id: string } };

const socket = createSocket('udp4').unref();

function tell({ payload, instance }: Context<unknown>): void {
  if (payload.tellPort !== undefined) socket.send(instance.id, payload.tellPort, '127.0.0.1');
}

const next = ({ previous }: Context<Result>): Result => ({ n: previous.n + 1 });
const sum = ({ previous }: Context<Result[]>): Result => ({ n: previous.reduce((total, { n }) => total + n, 0) });

export function A(context: Context<unknown>): Result {
  tell(context);
  return { n: 1 };
}
export const B = next;
export const C = next;
export const D = next;
export const E = sum;

export function FIRST(context: Context<unknown>): Result {
  tell(context);
  return { n: 1 };
}
export const STEP = next;

export function LIST(context: Context<unknown>): number[] {
  tell(context);
  return Array.from({ length: 1000 }, (_, index) => index);
}
export const ITEM = (): Result => ({ n: 1 });
export const JOIN = sum;

/** Long enough to be killed in the middle of; whoever takes it over is done at once. */
export async function SLOW({ task }: { task: { attempt: number } }): Promise<Result> {
  if (task.attempt === 1) await new Promise((resolve) => setTimeout(resolve, 60_000));
  return { n: 1 };
}
