import type { z } from 'zod';
import { TaskFailure } from './task-failure.ts';

/** `with` may have been made by expressions, so it is checked once more where it is used. */
export function readArguments<T>(task: string, schema: z.ZodType<T>, given: unknown): T {
  const parsed = schema.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const complaints = parsed.error.issues.map(({ path, message }) => `${['with', ...path].join('.')}: ${message}`);
  throw new TaskFailure(`The arguments of ${task} cannot be used. ${complaints.join('; ')}`, false);
}
