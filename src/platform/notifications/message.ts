import type { OutboundGuard } from '../../workflows/worker/outbound.ts';
import type { Content } from './event.ts';

/** One message for one receiver. The id is the same at every attempt. */
export type Message = {
  id: string;
  event: string;
  teamId: string;
  channel: { id: string; name: string };
  content: Content;
};
export type Outcome =
  | { isSent: true; status?: number }
  | { isSent: false; error: string; status?: number; isFinal?: boolean; retryAfterSeconds?: number | undefined };

/** What sending needs of the world outside. */
export type Reach = {
  guard: OutboundGuard;
  /** The operator's own SMTP server, for channels without one. */
  smtpUrl: string | undefined;
  nowSeconds: () => number;
};
