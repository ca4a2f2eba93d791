/** Alive up to the ttl, stale up to twice that, then gone. */
export const serviceStates = ['alive', 'stale', 'gone'] as const;
export type ServiceState = (typeof serviceStates)[number];

export const defaultTtlSeconds = 90;

/**
 *   last beat        + ttl          + 2 ttl
 *       ├── alive ──────┤── stale ─────┤── gone ──▶      each end still belongs to what comes before it
 */
export function stateAt(service: { last_heartbeat: Date; ttl_seconds: number | null }, now: number): ServiceState {
  const ageMs = now - service.last_heartbeat.getTime();
  const ttlMs = (service.ttl_seconds ?? defaultTtlSeconds) * 1000;
  if (ageMs <= ttlMs) return 'alive';
  return ageMs <= 2 * ttlMs ? 'stale' : 'gone';
}

export const healths = ['OK', 'WARN', 'AL'] as const;
export type Health = (typeof healths)[number];

/** A service is as well as its worst line. */
export function healthOf(lines: readonly { status: Health }[]): Health {
  if (lines.some(({ status }) => status === 'AL')) return 'AL';
  return lines.some(({ status }) => status === 'WARN') ? 'WARN' : 'OK';
}
