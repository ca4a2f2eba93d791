import type { Task } from './task.ts';

export async function EXTRACT({ log, payload }: Task): Promise<{ numbers: number[] }> {
  const count = typeof payload['count'] === 'number' ? payload['count'] : 5;
  log(`reading ${count} numbers`);
  return { numbers: Array.from({ length: count }, (_, index) => index + 1) };
}

export async function TRANSFORM({ previous }: Task<{ numbers: number[] }>): Promise<{ numbers: number[] }> {
  return { numbers: previous.numbers.map((number) => number * 10) };
}

export async function LOAD({ previous, log }: Task<{ numbers: number[] }>): Promise<{ sum: number }> {
  const sum = previous.numbers.reduce((total, number) => total + number, 0);
  log(`the sum is ${sum}`);
  return { sum };
}

export function RANDOM(): number {
  return Math.floor(Math.random() * 100);
}

export function ADD({ previous }: Task<number[]>): number {
  return previous.reduce((total, number) => total + number, 0);
}

export function BEAT({ payload, log }: Task): { at: string } {
  log('still here', payload);
  return { at: new Date().toISOString() };
}
