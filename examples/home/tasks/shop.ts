import { setTimeout as wait } from 'node:timers/promises';
import type { Task } from './task.ts';

type Order = { id: string; total: number; customer?: string; items?: string[] };

const soldOut = new Set(['chandelier']);

export async function RESERVE({ payload, log, signal }: Task<null, Order>): Promise<{ items: string[] }> {
  const items = payload.items ?? ['lamp', 'shade'];
  log(`reserving ${items.length} items of order ${payload.id}`);
  await wait(300, undefined, { signal });
  const missing = items.find((item) => soldOut.has(item));
  if (missing !== undefined) throw new Error(`Order ${payload.id} cannot be reserved: the ${missing} is sold out.`);
  return { items };
}

export async function CHECK_ADDRESS({ payload, signal }: Task<unknown, Order>): Promise<{ isKnown: boolean }> {
  await wait(200, undefined, { signal });
  return { isKnown: payload.customer !== undefined };
}

export function RENDER_INVOICE({ payload }: Task<unknown, Order>): { text: string } {
  return { text: `Invoice ${payload.id}: ${payload.total.toFixed(2)}` };
}

export function SIGN_INVOICE({ previous }: Task<{ text: string }>): { text: string; isSigned: boolean } {
  return { ...previous, isSigned: true };
}

export async function PACK({ item, index, progress, signal }: Task): Promise<{ parcel: string }> {
  for (const step of [1, 2, 3]) {
    await wait(100, undefined, { signal });
    progress(step / 3);
  }
  return { parcel: `${(index ?? 0) + 1}: ${JSON.stringify(item)}` };
}

export function WRITE_MESSAGE({ payload }: Task<null, { order: string; parcels: number }>): { text: string } {
  return { text: `${payload.parcels} parcels of order ${payload.order} are on their way.` };
}

export async function FETCH_PRICES({ signal }: Task): Promise<Record<string, number>> {
  await wait(150, undefined, { signal });
  return { lamp: 90, shade: 30 };
}

export async function FETCH_STOCK({ signal }: Task): Promise<Record<string, number>> {
  await wait(150, undefined, { signal });
  return { lamp: 12, shade: 0 };
}

export function QUOTE({ previous }: Task<[Record<string, number>, Record<string, number>]>): { lines: string[] } {
  const [prices, stock] = previous;
  const inStock = Object.entries(prices).filter(([name]) => (stock[name] ?? 0) > 0);
  return { lines: inStock.map(([name, price]) => `${name}: ${price}`) };
}

export function PUBLISH({ previous, log }: Task<{ lines: string[] }>): { published: number } {
  for (const line of previous.lines) log(line);
  return { published: previous.lines.length };
}

export function ARCHIVE({ previous }: Task<{ lines: string[] }>): { archived: number } {
  return { archived: previous.lines.length };
}

export function THANK({ instance, log }: Task): void {
  log(`${instance.fullname} went well`);
}

export function APOLOGIZE({ hook, log }: Task): void {
  log(`${hook?.failed?.key ?? 'something'} failed: ${hook?.failed?.error.message ?? 'no reason given'}`);
}
