import type { NotificationEvent } from '../platform/notifications/event.ts';

/** A label or a node (`node` is null for a label) that came to the other side of its target. */
export type Crossed = {
  teamId: string;
  label: string;
  node: string | null;
  day: string;
  target: number;
  value: number;
  /** What it was the day before, null where that is not known. */
  former: number | null;
  at: Date;
};

export function crossedEvent(crossed: Crossed): NotificationEvent {
  const { teamId, label, node, day, target, value, former, at } = crossed;
  const isBelow = value < target;
  const subject = node === null ? label : `${label} ${node}`;
  const before = former === null ? '' : ` The day before it was ${former} %.`;
  return {
    event: 'qos.changed',
    // However often the day is computed, one side is told once.
    key: `qos ${teamId} ${label} ${node ?? ''} ${day} ${isBelow ? 'below' : 'kept'}`,
    phase: isBelow ? 'failure' : 'success',
    isChange: true,
    about: { kind: 'qos', label },
    teamId,
    content: {
      title: isBelow ? `${subject} is below its objective` : `${subject} keeps its objective again`,
      message: `${subject} had ${value} % on ${day}; its objective is ${target} %.${before}`,
      at: at.toISOString(),
      data: { qos: { team_id: teamId, label, node, day, value, former, target, state: isBelow ? 'below' : 'kept' } },
    },
  };
}

/** Instead of the rest, where more nodes crossed than anybody would read about. */
export function manyCrossedEvent(
  crossed: Pick<Crossed, 'teamId' | 'label' | 'day' | 'target' | 'at'> & { told: number; total: number },
): NotificationEvent {
  const { teamId, label, day, target, at, told, total } = crossed;
  return {
    event: 'qos.changed',
    key: `qos ${teamId} ${label} ${day} and more`,
    phase: 'failure',
    isChange: true,
    about: { kind: 'qos', label },
    teamId,
    content: {
      title: `${total} nodes of ${label} crossed their objective`,
      message: `${total - told} more nodes of ${label} crossed ${target} % on ${day}; GET …/qos/worst lists them.`,
      at: at.toISOString(),
      data: { qos: { team_id: teamId, label, node: null, day, target, crossed: total } },
    },
  };
}
