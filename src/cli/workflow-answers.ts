import { z } from 'zod';

/** What the commands read of the server's workflow answers (interface 2.7 to 2.9, and the contract's additions). */

export const statuses = ['pending', 'progress', 'success', 'error', 'canceled'] as const;
const status = z.enum(statuses);
export type Status = z.infer<typeof status>;

export const isFinal = (status: Status): boolean => status !== 'pending' && status !== 'progress';

const attempt = z.int().nullish();
const progress = z.number().nullish();
const moment = z.string().nullish();
const error = z.object({ message: z.string(), stack: z.string().nullish() }).nullish();

export const instance = z.object({
  id: z.string(),
  project: z.string(),
  name: z.string(),
  fullname: z.string(),
  status,
  periodic: z.boolean(),
  created: z.string(),
  updated: z.string(),
  started: moment,
  finished: moment,
  comment: z.string().nullish(),
  relaunched_from: z.string().nullish(),
  payload: z.json().optional(),
  error,
});
export type Instance = z.infer<typeof instance>;
export const instanceList = z.array(instance);

const task = z.object({
  id: z.string(),
  key: z.string(),
  previous: z.array(z.string()),
  status,
  created: z.string(),
  updated: z.string(),
  started: moment,
  finished: moment,
  attempt,
  progress,
  is_hook: z.boolean().nullish(),
  /** Its condition did not hold: it counts as done, and nothing ran. */
  is_skipped: z.boolean().nullish(),
  /** The function; "approval" where a person is waited for. */
  run: z.string().nullish(),
  worker: z.string().nullish(),
  error,
});
export type Task = z.infer<typeof task>;

export const waitsForApproval = ({ run, status }: Task): boolean => run === 'approval' && status === 'progress';

export const instanceDetail = instance.extend({ tasks: z.array(task) });
export type InstanceDetail = z.infer<typeof instanceDetail>;

/** A name, or one key with what is under it. */
const definedTask = z.json();

export const definitionList = z.array(
  z.object({
    fullname: z.string(),
    periodic: z
      .object({ interval: z.number().nullish(), crontab: z.string().nullish(), timezone: z.string().nullish() })
      .nullish(),
    tasks: z.array(definedTask).nullish(),
    next_run: moment,
    paused: z.boolean().nullish(),
  }),
);
export type Definition = z.infer<typeof definitionList>[number];

const logLine = z.object({ id: z.number(), attempt, at: z.string(), line: z.string() });
export type LogLine = z.infer<typeof logLine>;
export const logPage = z.object({ lines: z.array(logLine), next: z.number() });
export const logEvent = logLine;

/** `GET /api/events`: what each kind of event carries. */
export const taskEvent = z.object({
  instance_id: z.string(),
  task_id: z.string(),
  key: z.string(),
  status,
  attempt,
  at: z.string(),
  progress,
});
export type TaskEvent = z.infer<typeof taskEvent>;

export const instanceEvent = z.object({ instance_id: z.string(), status, at: z.string() });
export type InstanceEvent = z.infer<typeof instanceEvent>;

export const customEvent = z.object({
  instance_id: z.string(),
  type: z.string(),
  data: z.json().optional(),
  at: z.string(),
});

/** Where nothing of the answer is needed. */
export const anything = z.json();
