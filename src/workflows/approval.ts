import { cleanText } from './clean-text.ts';
import { renderTemplates } from './definitions/template.ts';
import type { Json, JsonObject, PlanItem } from './plan.ts';
import type { StepOutcome } from './steps.service.ts';
import { type InstanceContext, scopeOf } from './task-context.ts';

const maxMessageLength = 10_000;

/** A task that waits for a person: asks at first, and looks at what was answered when it is woken. */
export function approval(call: {
  memo: Json;
  timeoutSeconds: number | null;
  item: PlanItem;
  context: InstanceContext;
  task: { position: number };
}): StepOutcome {
  const { memo, timeoutSeconds } = call;
  if (memo === null) {
    const message = messageOf(call.item, call.context, call.task.position);
    return {
      parked: {
        memo: { asked: true, ...(message === undefined ? {} : { message }) },
        ...(timeoutSeconds === null ? {} : { dueInSeconds: timeoutSeconds }),
      },
    };
  }
  const { approved } = memo as { approved?: JsonObject }; // written by approve, or by the lines above
  if (approved) return { done: approved };
  return { failed: `Nobody approved it within ${timeoutSeconds} s.` };
}

/** What whoever approves is told, expressions filled in. */
function messageOf(item: PlanItem, context: InstanceContext, position: number): string | undefined {
  const { message } = (item.with ?? {}) as { message?: string }; // the compiler puts nothing else there
  if (message === undefined) return undefined;
  const text = renderTemplates(message, scopeOf(context, position));
  return cleanText(typeof text === 'string' ? text : JSON.stringify(text), maxMessageLength);
}
