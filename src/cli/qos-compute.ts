import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { StartupError } from '../errors.ts';
import { runDetail, startedRuns } from '../qos/qos.schemas.ts';
import { type Client, ServerRefusal } from './client.ts';
import { type ClientOptions, clientFor } from './client-options.ts';
import { getTeam } from './lookup.ts';
import { print } from './output.ts';
import { describeChanges, describeRun } from './qos-text.ts';
import { createLiveScreen } from './workflow-screen.ts';

export type ComputeOptions = ClientOptions & {
  day?: string;
  start?: string;
  end?: string;
  labels?: string;
  dryRun?: boolean;
  config?: string;
  watch?: boolean;
};
type Run = z.infer<typeof runDetail>;

const askEveryMs = 300;

export async function computeDays(team: string, options: ComputeOptions): Promise<void> {
  const client = clientFor(options);
  const { id: teamId } = await getTeam(client, team);
  const base = `/v1/teams/${teamId}/qos`;
  const answer = await client.post(`${base}/compute`, startedRuns, await bodyOf(options));
  const { runs } = answer.value;
  if (!options.watch) {
    print(
      options.json
        ? JSON.stringify(answer.json, undefined, 2)
        : runs.map(({ id, day, workflow }) => `${day}  run ${id}  instance ${workflow}`).join('\n'),
    );
    return;
  }
  const ended = await follow(client, base, runs, options.json ?? false);
  if (options.json) print(JSON.stringify(ended, undefined, 2));
  else for (const run of ended) if (run.changes) print(`\n${run.day}\n${describeChanges(run)}`);
  const failed = ended.filter(({ state }) => state !== 'success');
  if (failed.length > 0) throw new ServerRefusal(`Not computed: ${failed.map(({ day }) => day).join(', ')}.`);
}

async function bodyOf({ day, start, end, labels, dryRun, config }: ComputeOptions): Promise<object> {
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const days = start === undefined && end === undefined ? { day: day ?? yesterday } : { day, start, end };
  const tried = config === undefined ? {} : { config: await readConfig(config) };
  const wanted = labels === undefined ? {} : { labels: labels.split(',').map((label) => label.trim()) };
  return { ...days, ...wanted, ...tried, ...(dryRun || config !== undefined ? { dry_run: true } : {}) };
}

/** The id of a version on the server, or a file with a whole configuration. */
async function readConfig(given: string): Promise<unknown> {
  if (/^[0-9a-f-]{36}$/i.test(given)) return given;
  try {
    return JSON.parse(await readFile(given, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(`The configuration ${given} cannot be read: ${reason}`, { cause: error });
  }
}

/** Until all have ended: drawn in place on a terminal, otherwise a line whenever a day has. */
async function follow(client: Client, base: string, started: { id: string }[], isQuiet: boolean): Promise<Run[]> {
  const screen = !isQuiet && process.stdout.isTTY ? createLiveScreen(process.stdout) : undefined;
  const known = new Map<string, Run>();
  try {
    for (;;) {
      const open = started.filter(({ id }) => !isEnded(known.get(id)));
      for (const { id } of open) {
        const run = (await client.get(`${base}/runs/${id}`, runDetail)).value;
        known.set(id, run);
        if (isEnded(run) && !screen && !isQuiet) print(describeRun(run));
      }
      const all = started.flatMap(({ id }) => known.get(id) ?? []);
      const lines = all.map(describeRun);
      if (all.every(isEnded)) {
        screen?.finish(lines);
        return all;
      }
      screen?.draw(lines.slice(-Math.max(1, (process.stdout.rows ?? 24) - 1)));
      await new Promise((resolve) => setTimeout(resolve, askEveryMs));
    }
  } finally {
    screen?.stop();
  }
}

const isEnded = (run: Run | undefined): boolean =>
  run !== undefined && run.state !== 'pending' && run.state !== 'progress';
