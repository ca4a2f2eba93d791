import type { NotificationEvent } from './event.ts';

/** A service of the registry that changed its state. */
export type ServiceTransition = {
  type: string;
  name: string;
  state: 'alive' | 'stale' | 'gone';
  lastHeartbeat: Date;
  at: Date;
};

const sentences = {
  alive: 'sends heartbeats again.',
  stale: 'has not sent a heartbeat in time.',
  gone: 'has been silent for so long that it counts as gone.',
} as const;

export function serviceEvent({ type, name, state, lastHeartbeat, at }: ServiceTransition): NotificationEvent {
  return {
    event: `service.${state}`,
    // The same silence is told once; the next begins with another heartbeat.
    key: `service ${type} ${name} ${state} ${lastHeartbeat.toISOString()}`,
    phase: state === 'alive' ? 'success' : 'failure',
    isChange: true,
    about: { kind: 'service', type },
    content: {
      title: `Service ${name} (${type}) is ${state}`,
      message: `${name} ${sentences[state]} Its last heartbeat came at ${lastHeartbeat.toISOString()}.`,
      at: at.toISOString(),
      data: { service: { type, name, state, last_heartbeat: lastHeartbeat.toISOString() } },
    },
  };
}
