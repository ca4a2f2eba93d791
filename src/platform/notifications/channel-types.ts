import { z } from 'zod';
import { lineOfText } from '../../http/schemas.ts';

/** What each type of channel is set up with. Fields marked secret are kept sealed and never shown. */

const isSecret = 'x-secret';
const secret = <T extends z.ZodType>(schema: T, description: string): T =>
  schema.meta({ ...schema.meta(), description, writeOnly: true, [isSecret]: true });

const httpAddress = lineOfText(2000).refine((text) => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}, 'must be an http:// or https:// address without a user name in it');
const mailAddress = z.email('must be a mail address').max(320);

const webhookSettings = z.strictObject({
  url: httpAddress.meta({ description: 'Where events are posted as JSON' }),
  secret: secret(lineOfText(500), 'Key of the signature in X-Faultline-Signature').optional(),
});
const slackSettings = z.strictObject({
  // Whoever knows the address may write to the channel.
  url: secret(httpAddress, 'Incoming webhook of Slack, Mattermost, Rocket.Chat or another that takes {"text": …}'),
});
const emailSettings = z
  .strictObject({
    to: z.array(mailAddress).min(1).max(50),
    from: mailAddress.optional().meta({ description: 'Needed with a server of its own; else the operator’s' }),
    host: lineOfText(255)
      .optional()
      .meta({ description: 'SMTP server; without it, the one that the operator has set up' }),
    port: z.int().min(1).max(65_535).default(587),
    tls: z.enum(['starttls', 'tls', 'none']).default('starttls').meta({
      description: 'starttls: must be encrypted after a hello; tls: from the first byte; none: in clear text',
    }),
    username: lineOfText(320).optional(),
    password: secret(lineOfText(500), 'Password at the SMTP server').optional(),
  })
  .refine((value) => value.host === undefined || value.from !== undefined, 'needs "from" beside "host"')
  .refine(
    (value) => value.host !== undefined || (value.username === undefined && value.password === undefined),
    'needs "host" beside "username" and "password"',
  )
  .refine(
    (value) => (value.username === undefined) === (value.password === undefined),
    'needs "username" and "password" together',
  );

export type WebhookSettings = z.infer<typeof webhookSettings>;
export type SlackSettings = z.infer<typeof slackSettings>;
export type EmailSettings = z.infer<typeof emailSettings>;
export type Settings =
  | { type: 'webhook'; settings: WebhookSettings }
  | { type: 'slack'; settings: SlackSettings }
  | { type: 'email'; settings: EmailSettings };

export const channelTypeNames = ['webhook', 'slack', 'email'] as const;
export type ChannelType = (typeof channelTypeNames)[number];

type TypeOfChannel = {
  title: string;
  description: string;
  schema: z.ZodType;
  secretFields: string[];
  /** While a secret is kept, these must stay as they are: it must not be sent elsewhere by somebody who does not know it. */
  boundFields: string[];
  defaults: Record<string, unknown>;
};

export const channelTypes: Record<ChannelType, TypeOfChannel> = {
  webhook: {
    title: 'Webhook',
    description: 'A signed POST of JSON, tried again until it is accepted.',
    schema: webhookSettings,
    secretFields: ['secret'],
    boundFields: [],
    defaults: { url: '', secret: '' },
  },
  slack: {
    title: 'Slack',
    description: 'A message to an incoming webhook of Slack or one that speaks like it.',
    schema: slackSettings,
    secretFields: ['url'],
    boundFields: [],
    defaults: { url: '' },
  },
  email: {
    title: 'E-mail',
    description: 'A mail to some addresses, through a server of the channel or of the operator.',
    schema: emailSettings,
    secretFields: ['password'],
    boundFields: ['host', 'port', 'tls', 'username'],
    defaults: { to: [], port: 587, tls: 'starttls' },
  },
};

/** What `GET /notification/type` tells. */
export const describeChannelTypes = () =>
  Object.fromEntries(
    channelTypeNames.map((name) => {
      const { title, description, schema, defaults } = channelTypes[name];
      const policy = { on_success: 'change', on_failure: 'always', on_start: 'never' } as const;
      return [
        name,
        { title, description, settings: defaults, ...policy, config_schema: z.toJSONSchema(schema, { io: 'input' }) },
      ];
    }),
  );
