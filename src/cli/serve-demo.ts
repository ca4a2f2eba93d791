import type { Logger } from 'pino';
import { z } from 'zod';
import type { App } from '../app.ts';
import { isUnfinished, loadDemo } from '../demo/demo.service.ts';
import { teamList, userList } from '../identity/identity.schemas.ts';
import { type Client, createClient } from './client.ts';

const teamName = 'demo';
const instanceList = z.array(z.unknown());
const newsList = z.object({ news: z.array(z.unknown()) });

/** Loads the example team into the service that has just begun to answer, if its database is empty or it was interrupted at that before. */
export function startDemo(app: App, url: string, log: Logger): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const loading = loadWhereEmpty(app, url, log, stopping.signal).catch((error: unknown) => {
    if (stopping.signal.aborted) log.info('loading the example team was interrupted; the next start goes on with it');
    else log.warn({ err: error }, 'the example team could not be loaded; the next start tries again');
  });
  return {
    stop() {
      stopping.abort();
      return loading;
    },
  };
}

async function loadWhereEmpty(app: App, url: string, log: Logger, signal: AbortSignal): Promise<void> {
  const lent = await app.lendAdminToken();
  if (!lent) return;
  try {
    const client = createClient({ url, token: lent.token, tokenSource: 'this process' });
    if (!(await isUnfinished(client, teamName)) && !(await isEmpty(client))) {
      log.debug('the database is not empty: no example team is loaded');
      return;
    }
    const say = (what: string) => log.debug({ what }, 'loading the example team');
    const loaded = await loadDemo({ client, teamName, isAgain: false, clock: Date.now, say, signal });
    log.info({ team: loaded.team.name, days: loaded.days.length, badDay: loaded.badDay }, 'the example team is loaded');
  } finally {
    lent.giveBack();
  }
}

/** Nobody has done anything here yet. What the schedules of the home have started by themselves does not count. */
async function isEmpty(client: Client): Promise<boolean> {
  const [{ teams }, { users }, { news }, instances] = await Promise.all([
    client.get('/v1/teams', teamList).then(({ value }) => value),
    client.get('/v1/users', userList).then(({ value }) => value),
    client.get('/v1/news?limit=1', newsList).then(({ value }) => value),
    client.get('/api/workflows?periodic=false&per_page=1', instanceList).then(({ value }) => value),
  ]);
  return teams.length === 0 && users.length <= 1 && news.length === 0 && instances.length === 0;
}
