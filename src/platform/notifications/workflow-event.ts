import type { Content, Occasion } from './event.ts';
import type { InstanceChange, InstanceDetails } from './workflow-source.store.ts';

const errorLimit = 4000;

export const subjectOf = ({ project, name }: InstanceChange): string => `workflow ${project}.${name}`;

/**
 * What a change of an instance is an occasion for, given how the workflow ended the time before. Undefined for a canceled one: somebody
 * did that by hand, and it says nothing about the workflow.
 *
 *   runs       ✓   ✗   ✗   ✓        a first run is a change
 *   change     *   *       *
 */
export function occasionOf(change: InstanceChange, former: string | undefined): Occasion | undefined {
  const { instanceId, project, name, status } = change;
  const about = { kind: 'workflow', project, fullname: `${project}.${name}` } as const;
  switch (status) {
    case 'progress':
      // It is not known yet how this run ends. What may become a change is a run of a workflow that is not known to work.
      return {
        event: 'workflow.started',
        key: `workflow ${instanceId} started`,
        phase: 'start',
        isChange: former !== 'success',
        about,
      };
    case 'success':
      return {
        event: 'workflow.succeeded',
        key: `workflow ${instanceId} ended`,
        phase: 'success',
        isChange: former !== status,
        about,
      };
    case 'error':
      return {
        event: 'workflow.failed',
        key: `workflow ${instanceId} ended`,
        phase: 'failure',
        isChange: former !== status,
        about,
      };
    default:
      return undefined;
  }
}

export function contentOf(
  { event }: Occasion,
  change: InstanceChange,
  details: InstanceDetails | undefined,
  publicUrl: string | undefined,
): Content {
  const { instanceId, project, name, status, at } = change;
  const fullname = `${project}.${name}`;
  const path = `/api/workflows/${instanceId}`;
  const failure = event === 'workflow.failed' ? failureOf(details) : undefined;
  const verb = { 'workflow.started': 'started', 'workflow.succeeded': 'succeeded', 'workflow.failed': 'failed' }[
    event as 'workflow.started' // the three events of workflows
  ];
  return {
    title: `Workflow ${fullname} ${verb}`,
    message: [
      failure && (failure.task ? `${failure.task.key}: ${failure.message}` : failure.message),
      `Instance ${publicUrl === undefined ? instanceId : publicUrl + path}`,
    ]
      .filter(Boolean)
      .join('\n'),
    at: at.toISOString(),
    data: {
      workflow: {
        id: instanceId,
        project,
        name,
        fullname,
        status,
        url: publicUrl === undefined ? null : publicUrl + path,
        periodic: details?.is_periodic ?? null,
        comment: details?.comment ?? null,
        relaunched_from: details?.relaunched_from ?? null,
        created: details?.created_at.toISOString() ?? null,
        started: details?.started_at?.toISOString() ?? null,
        finished: event === 'workflow.started' ? null : (details?.finished_at?.toISOString() ?? null),
      },
      ...(failure && { task: failure.task, error: { message: failure.message } }),
    },
  };
}

function failureOf(details: InstanceDetails | undefined) {
  const task = details?.task_id ? { id: details.task_id, key: details.task_key } : null;
  const message = messageOf(details?.task_error) ?? messageOf(details?.error) ?? 'It failed without telling why.';
  return { task, message };
}

/** Of an error as JSON text. */
function messageOf(text: string | null | undefined): string | undefined {
  if (text === null || text === undefined) return undefined;
  const error: unknown = JSON.parse(text);
  if (typeof error !== 'object' || error === null || !('message' in error)) return undefined;
  const message = String(error.message);
  return message.length > errorLimit ? `${message.slice(0, errorLimit)}… (shortened)` : message;
}
