import { z } from 'zod';
import { lineOfText, longText, timestamp } from '../../http/schemas.ts';
import { healths } from './service-state.ts';

const maxMetadataBytes = 16 * 1024;
const maxMetadataDepth = 32;
const maxLines = 100;

/** A part of an address: programs that tidy addresses up would lose these two. */
const addressable = (max: number) => lineOfText(max).refine((text) => text !== '.' && text !== '..', 'must be a name');

export const serviceType = addressable(100)
  .refine((type) => type !== 'types', 'must not be "types": GET /services/types lists the types')
  .meta({ description: 'The kind of service', example: 'worker' });
export const serviceName = addressable(255).meta({ description: 'Unique within its type', example: 'host-1:4711' });

const line = z.object({
  status: z.enum(healths, 'must be OK, WARN or AL'),
  component: lineOfText(200),
  value: z.union([z.string().max(2000), z.number(), z.boolean()]).transform(String),
  type: lineOfText(100).optional().meta({ description: 'The type of the service unless told' }),
});
export type GivenLine = z.infer<typeof line>;

const clearable = <T extends z.ZodType>(text: T) => text.nullable().optional();

const metadata = z.record(z.string(), z.unknown()).refine(
  // In this order: writing down what is nested too deep might take too deep a stack.
  (value) => isShallow(value, maxMetadataDepth) && Buffer.byteLength(JSON.stringify(value)) <= maxMetadataBytes,
  `must have at most ${maxMetadataBytes} bytes as JSON, and ${maxMetadataDepth} levels`,
);

/** What is left out stays as it was; null clears. */
export const beatBody = z
  .object({
    type: serviceType.optional(),
    name: serviceName.optional(),
    url: clearable(lineOfText(2000)),
    version: clearable(lineOfText(100)),
    region: clearable(lineOfText(100)),
    public_key: clearable(longText(10_000)),
    metadata: metadata.nullable().optional(),
    monitoring_status: z
      .object({
        now: z.iso.datetime({ offset: true, error: 'must be a time such as 2026-11-15T02:08:00Z' }).optional(),
        lines: z.array(line).max(maxLines, `must have at most ${maxLines} lines`),
      })
      .optional(),
    ttl_seconds: z.int().min(1).max(86_400).optional().meta({ description: '90 unless told' }),
  })
  .refine(({ type, name }) => (type === undefined) === (name === undefined), {
    message: 'must be given together with "name", or both left out',
    path: ['type'],
  })
  .meta({ id: 'Heartbeat' });
export type BeatBody = z.infer<typeof beatBody>;

export const service = z
  .object({
    id: z.uuid(),
    name: z.string(),
    type: z.string(),
    url: z.string().nullable(),
    version: z.string().nullable(),
    region: z.string().nullable(),
    public_key: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
    state: z.enum(['alive', 'stale']),
    health: z.enum(healths).meta({ description: 'That of the worst line' }),
    monitoring_status: z.object({
      now: timestamp.meta({ description: 'When the lines were true' }),
      lines: z.array(z.object({ status: z.enum(healths), component: z.string(), value: z.string(), type: z.string() })),
    }),
    ttl_seconds: z.int(),
    registered_at: timestamp,
    last_heartbeat: timestamp,
    expires_at: timestamp.meta({ description: 'Until then it is alive; gone as long again after that' }),
  })
  .meta({ id: 'Service' });
export type ServiceAnswer = z.infer<typeof service>;

export const serviceList = z.array(service);
export const serviceTypes = z.array(z.object({ type: z.string(), alive: z.int(), stale: z.int() }));

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1));
}
