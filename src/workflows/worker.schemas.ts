import { z } from 'zod';
import { lineOfText } from '../http/schemas.ts';
import { anyJson } from './workflows.schemas.ts';

/** The protocol between the service and its workers, in batches (contract, "Tasks and remote workers"). */

const json = anyJson;
const worker = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 printable characters without spaces')
  .meta({ description: 'A name of your own for this worker process, such as host:pid' });
const names = z.array(lineOfText(200)).max(10_000);
const attempt = z.int32().min(1);
const taskRef = { id: z.uuid(), attempt };
const max = z.int().min(0).max(1000);

export const claimBody = z
  .object({
    worker,
    queues: names.optional().meta({ description: 'Only tasks of these queues; all unless told' }),
    tasks: names.optional().meta({ description: 'Only tasks of these names; all unless told' }),
    max: max.default(1).meta({ description: 'How many tasks at most' }),
    wait_seconds: z.number().min(0).max(60).default(0).meta({ description: 'How long to wait for the first task' }),
  })
  .meta({ id: 'WorkerClaim' });

export const reportBody = z
  .object({
    worker,
    queues: names.optional(),
    tasks: names.optional(),
    completed: z
      .array(z.object({ ...taskRef, result: json.nullish().transform((result) => result ?? null) }))
      .max(1000)
      .default([]),
    failed: z
      .array(
        z.object({
          ...taskRef,
          error: z.object({ message: z.string(), stack: z.string().optional() }),
          retryable: z.boolean().default(true),
        }),
      )
      .max(1000)
      .default([]),
    /** Handed back untouched: the attempt does not count. */
    released: z.array(z.object(taskRef)).max(1000).default([]),
    running: z
      .array(z.object({ ...taskRef, progress: z.number().min(0).max(1).optional() }))
      .max(10_000)
      .default([]),
    logs: z
      .array(z.object({ id: z.uuid(), attempt: attempt.optional(), lines: z.array(z.string()).max(10_000) }))
      .max(1000)
      .default([]),
    max: max.default(0).meta({ description: 'How many new tasks may come with the answer' }),
  })
  .meta({ id: 'WorkerReport' });

export const workerTask = z
  .object({
    id: z.uuid(),
    key: z.string(),
    run: z.string().meta({ description: 'The function to run; equal to key unless the definition says otherwise' }),
    with: json.optional().meta({ description: 'Arguments from the definition, expressions already filled in' }),
    queue: z.string(),
    attempt: z.int(),
    payload: z.record(z.string(), json),
    previous: json,
    results: z.record(z.string(), json),
    instance: z.object({ id: z.uuid(), project: z.string(), name: z.string(), fullname: z.string() }),
    timeout_seconds: z.number().optional(),
    item: json.optional().meta({ description: 'The element, in a foreach' }),
    index: z.int().optional().meta({ description: 'Its place, in a foreach' }),
    hook: z
      .object({
        outcome: z.enum(['init', 'success', 'failure']),
        status: z.string(),
        failed: z
          .object({
            id: z.uuid(),
            key: z.string(),
            error: z.object({ message: z.string(), stack: z.string().optional() }),
          })
          .nullable(),
      })
      .optional()
      .meta({ description: 'For hooks: what happened' }),
  })
  .meta({ id: 'WorkerTask' });

export const claimAnswer = z
  .object({
    lease_seconds: z.number().meta({ description: 'Report each running task within this time, or lose it' }),
    tasks: z.array(workerTask),
    canceled: z.array(z.uuid()).meta({ description: 'Running tasks of this worker that should stop' }),
  })
  .meta({ id: 'WorkerClaimAnswer' });

export const reportAnswer = z
  .object({
    lease_seconds: z.number(),
    rejected: z.array(z.object({ id: z.uuid(), reason: z.string() })),
    canceled: z.array(z.uuid()),
    tasks: z.array(workerTask),
  })
  .meta({ id: 'WorkerReportAnswer' });

export type ClaimRequest = z.infer<typeof claimBody>;
export type ReportRequest = z.infer<typeof reportBody>;
export type WorkerTask = z.infer<typeof workerTask>;
export type ClaimAnswer = z.infer<typeof claimAnswer>;
export type ReportAnswer = z.infer<typeof reportAnswer>;
