/** When to send, as `GET /notification/state` tells it. */
export const policies = ['always', 'change', 'never'] as const;
export type Policy = (typeof policies)[number];

export type EventName =
  | 'workflow.started'
  | 'workflow.succeeded'
  | 'workflow.failed'
  | 'workflow.message'
  | 'service.alive'
  | 'service.stale'
  | 'service.gone'
  | 'qos.changed'
  | 'test';

/** What a receiver reads of an event. */
export type Content = {
  title: string;
  message: string;
  /** When it happened, ISO 8601. */
  at: string;
  data: { [key: string]: unknown };
};

/** What decides which channels are told. */
export type Occasion = {
  event: EventName;
  /** Names this event among all: however often it is emitted, each channel is told once. */
  key: string;
  /** Which of a channel's policies is asked. */
  phase: 'start' | 'success' | 'failure';
  /** Different from what was before; a first time is a change. */
  isChange: boolean;
  about:
    | { kind: 'workflow'; project: string; fullname: string }
    | { kind: 'service'; type: string }
    | { kind: 'qos'; label: string };
  /** Only channels of this team, where the thing itself belongs to one. */
  teamId?: string;
};

export type NotificationEvent = Occasion & { content: Content };

export type Filters = {
  projects?: string[] | undefined;
  workflows?: string[] | undefined;
  services?: string[] | undefined;
  labels?: string[] | undefined;
};

export type ListeningChannel = {
  team_id: string;
  filters: Filters;
  on_success: Policy;
  on_failure: Policy;
  on_start: Policy;
};
