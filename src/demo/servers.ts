import { noise, pick } from './noise.ts';
import { databases, datacenters, racksPerDatacenter } from './shop.ts';

export type Server = { name: string; rack: string; datacenter: string };

/** Interfaces of one domain run on one pool, beside the domain's database: `orders-db` and `orders-pool`. */
export const poolOf = (database: string): string => `${database.replace(/-(db|index)$/, '')}-pool`;

/** A domain that nobody dared to give a second machine: when it restarts, people notice. */
const lonelyPools = new Set(['planner-pool']);
const serversPerDatabase = 2;

/** Which servers carry what: `{ pools: { 'orders-pool': [Server…] }, databases: { 'orders-db': [Server…] } }`. */
export function listServers(): { pools: Record<string, Server[]>; databases: Record<string, Server[]> } {
  const counts = new Map<string, number>();
  const rackUp = (purpose: string, owner: string, index: number): Server => {
    // Neighbours in a pool stand in different datacenters, so that one may fail.
    const start = Math.floor(noise(owner) * datacenters.length);
    const datacenter = datacenters[(start + index) % datacenters.length];
    const number = (counts.get(`${datacenter}-${purpose}`) ?? 0) + 1;
    counts.set(`${datacenter}-${purpose}`, number);
    const name = `${datacenter}-${purpose}-${String(number).padStart(2, '0')}`;
    return { name, rack: pick(racksOf(datacenter), name), datacenter };
  };
  const build = (purpose: string, owner: string, size: number): Server[] =>
    Array.from({ length: size }, (_, index) => rackUp(purpose, owner, index));
  const pools = Object.keys(databases).map(poolOf);
  return {
    pools: Object.fromEntries(pools.map((pool) => [pool, build('app', pool, sizeOf(pool))])),
    databases: Object.fromEntries(Object.keys(databases).map((name) => [name, build('db', name, serversPerDatabase)])),
  };
}

export const racksOf = (datacenter: string): string[] =>
  Array.from({ length: racksPerDatacenter }, (_, index) => `${datacenter}-r${String(index + 1).padStart(2, '0')}`);

const sizeOf = (pool: string): number => (lonelyPools.has(pool) ? 1 : 3 + Math.floor(noise(pool, 1) * 4));
