import { createHmac } from 'node:crypto';

/** Of the time and the body together, so that an old message cannot be sent again as a new one. */
export const signatureOf = (secret: string, timestamp: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
