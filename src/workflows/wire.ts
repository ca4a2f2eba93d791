import type { Detail, InstanceRow, TaskRow } from './instances.store.ts';

/** Instances and tasks as the interface writes them. Payloads and results go out as the text that came in. */

export function instanceText(row: InstanceRow, detail?: Detail): string {
  const { id, name, project, payload, periodic, status, created, updated, started, finished, comment, error } = row;
  const head = JSON.stringify({ id, name, project, fullname: `${project}.${name}` });
  const tail = JSON.stringify({
    periodic,
    status,
    created,
    updated,
    started,
    finished,
    comment,
    relaunched_from: row.relaunched_from,
  });
  let text = head.slice(0, -1);
  if (payload !== null) text += `,"payload":${payload}`;
  text += `,${tail.slice(1, -1)}`;
  if (error !== null) text += `,"error":${error}`;
  if (detail) {
    const { parent, tasks } = detail;
    text += `,"parent":${JSON.stringify(parent)},"tasks":[${tasks.map(taskText).join(',')}]`;
  }
  return `${text}}`;
}

function taskText(row: TaskRow): string {
  const { result, error, ...rest } = row;
  const text = JSON.stringify({ ...rest, task: row.id });
  return `${text.slice(0, -1)},"result":${result ?? 'null'},"error":${error ?? 'null'}}`;
}
