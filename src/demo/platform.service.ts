import { z } from 'zod';
import type { Client } from '../cli/client.ts';
import type { Calendar } from './calendar.ts';
import { ensureNamed } from './ensure-named.service.ts';
import { channel, listNews, services, workflows } from './platform.ts';

const anything = z.unknown();
const newsTitles = z.object({ news: z.array(z.object({ title: z.string() })) });
const definitionList = z.array(z.object({ fullname: z.string() }));

/** What stands around the graph and the figures. */
export async function loadPlatform(client: Client, teamId: string, calendar: Calendar): Promise<void> {
  await writeNews(client, calendar);
  for (const service of services) await client.post('/services/heartbeat', anything, service);
  await ensureNamed(client, `/notification/channels?team_id=${teamId}`, 'channels', { ...channel, team_id: teamId });
  await startWorkflows(client, teamId);
}

async function writeNews(client: Client, calendar: Calendar): Promise<void> {
  const { news } = (await client.get('/v1/news', newsTitles)).value;
  const known = new Set(news.map(({ title }) => title));
  for (const item of listNews(calendar)) if (!known.has(item.title)) await client.post('/v1/news', anything, item);
}

/** Those that the home of the server defines; another home than the examples' has others. */
async function startWorkflows(client: Client, teamId: string): Promise<void> {
  const definitions = (await client.get('/api/definitions', definitionList)).value;
  const known = new Set(definitions.map(({ fullname }) => fullname));
  for (const [index, { project, name, payload, comment }] of workflows.entries()) {
    if (!known.has(`${project}.${name}`)) continue;
    const key = { 'idempotency-key': `example ${teamId} ${index}` };
    await client.post('/api/workflows', anything, { project, name, payload, comment }, key);
  }
}
