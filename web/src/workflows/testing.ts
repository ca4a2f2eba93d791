import type { InstanceDetail, InstanceTask } from '../../../src/workflows/workflows.schemas.ts';

/** Builders for tests: only what matters is said. */
export function aTask(id: string, more: Partial<InstanceTask> = {}): InstanceTask {
  const at = '2026-11-15T10:00:00.000000+00:00';
  return {
    id,
    task: id,
    key: id,
    parent: null,
    element: null,
    previous: [],
    status: 'pending',
    created: at,
    updated: at,
    started: null,
    finished: null,
    result: null,
    is_hook: false,
    is_skipped: false,
    attempt: 1,
    progress: null,
    worker: null,
    run: id,
    child: null,
    message: null,
    queue: 'default',
    error: null,
    ...more,
  };
}

export function anInstance(tasks: InstanceTask[], more: Partial<InstanceDetail> = {}): InstanceDetail {
  const at = '2026-11-15T10:00:00.000000+00:00';
  return {
    id: 'one',
    project: 't',
    name: 'ONE',
    fullname: 't.ONE',
    payload: {},
    periodic: false,
    status: 'progress',
    created: at,
    updated: at,
    started: at,
    finished: null,
    comment: null,
    relaunched_from: null,
    parent: null,
    tasks,
    ...more,
  };
}
