import { conflict, notFound } from '../errors.ts';
import { isUuid } from '../http/schemas.ts';
import type { Client } from './client.ts';
import { formatCount } from './import-progress.ts';
import { type InstanceDetail, instanceDetail, instanceList, type Task } from './workflow-answers.ts';

const searched = 1000;

/**
 * A whole id, or the beginning or the end of one that no other of the newest instances has. The end is often the shorter way: ids
 * begin with the time, so those of one minute begin alike.
 */
export async function resolveInstance(client: Client, reference: string): Promise<string> {
  const part = reference.toLowerCase();
  if (isUuid(part)) return part;
  if (!/^[0-9a-f-]{3,}$/.test(part))
    throw notFound(`"${reference}" is neither an instance's id nor its beginning or end (three characters or more).`);
  const { value } = await client.get(`/api/workflows?per_page=${searched}&with_payload=false`, instanceList);
  const found = value.filter((instance) => instance.id.startsWith(part) || instance.id.endsWith(part));
  const [only, ...others] = found;
  if (!only) {
    throw notFound(
      `None of the newest ${formatCount(searched)} instances has an id that begins or ends with "${reference}"; "faultline workflow list" shows them, and a whole id finds older ones.`,
    );
  }
  if (others.length > 0) {
    const some = found.slice(0, 5).map((instance) => instance.id).join(', '); // biome-ignore format: one line
    const rest = found.length > 5 ? ', …' : '';
    throw conflict(
      `${formatCount(found.length)} instances have ids that begin or end with "${reference}"; give more of one: ${some}${rest}.`,
    );
  }
  return only.id;
}

/** People know keys, programs ids. A key that several tasks have does not say which. */
export async function getTask(
  client: Client,
  instanceId: string,
  keyOrId: string,
): Promise<{ instance: InstanceDetail; task: Task }> {
  const instance = (await client.get(`/api/workflows/${instanceId}`, instanceDetail)).value;
  const byId = instance.tasks.find((task) => task.id === keyOrId.toLowerCase());
  if (byId) return { instance, task: byId };
  const named = instance.tasks.filter((task) => task.key === keyOrId);
  const [task, ...others] = named;
  if (!task) {
    const keys = [...new Set(instance.tasks.map((each) => each.key))];
    const shown = keys.length > 20 ? `${keys.slice(0, 20).join(', ')}, …` : keys.join(', ');
    throw notFound(`${instance.fullname} has no task "${keyOrId}" in this instance; there are ${shown}.`);
  }
  if (others.length > 0) {
    const ids = named.slice(0, 5).map((each) => each.id).join(', '); // biome-ignore format: one line
    throw conflict(
      `${formatCount(named.length)} tasks are called "${keyOrId}"; give the id of one: ${ids}${named.length > 5 ? ', …' : ''}.`,
    );
  }
  return { instance, task };
}
