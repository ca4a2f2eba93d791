import type { Client } from '../cli/client.ts';
import type { Clock } from '../clock.ts';
import { conflict } from '../errors.ts';
import { ingestResult } from '../graph/graph.schemas.ts';
import { team as teamAnswer, teamList } from '../identity/identity.schemas.ts';
import { at, calendarOf, isoDate, listDays } from './calendar.ts';
import { computeDays } from './compute-days.service.ts';
import { listMessages } from './estate.ts';
import { loadPlatform } from './platform.service.ts';
import { isExampleTeam, loadQuality, sendMeasurements } from './quality.service.ts';
import { badDay } from './story.ts';

export type DemoSettings = {
  client: Client;
  teamName: string;
  /** The team may be there: then it gets what it lacks, up to today. */
  isAgain: boolean;
  clock: Clock;
  /** What is being done. */
  say: (what: string) => void;
  signal?: AbortSignal | undefined;
};

export type LoadedDemo = { team: { id: string; name: string }; messages: number; days: string[]; badDay: string };

/** A team has this name until it is complete: so a load that was interrupted is seen, by people too, and goes on the next time. */
const unfinishedName = (name: string): string => `${name} (loading)`;

/** Loads the example team into a running server. Every step may be repeated. */
export async function loadDemo({ client, teamName, isAgain, clock, say, signal }: DemoSettings): Promise<LoadedDemo> {
  const team = await claimTeam(client, teamName, isAgain);
  const path = `/v1/teams/${team.id}`;
  const calendar = calendarOf(Date.parse(team.createdAt), clock());
  const days = listDays(calendar);
  const messages = listMessages(calendar);
  const steps: [what: string, run: () => Promise<void>][] = [
    ['the graph', () => sendGraph(client, path, messages)],
    ['rules, checks and the configuration', () => loadQuality(client, path)],
    ...days.map(measure),
    ['news, services, a channel and workflows', () => loadPlatform(client, team.id, calendar)],
    [`the figures of ${days.length} days`, () => computeDays(client, path, days, signal)],
    ['the name of the team', () => nameTeam(client, team, teamName)],
  ];
  for (const [what, run] of steps) {
    signal?.throwIfAborted();
    say(what);
    await run();
  }
  const loaded = { id: team.id, name: teamName };
  return { team: loaded, messages: messages.length, days: days.map(isoDate), badDay: isoDate(at(calendar, badDay)) };

  function measure(day: number): [string, () => Promise<void>] {
    return [`measurements of ${isoDate(day)}`, () => sendMeasurements(client, path, calendar, day)];
  }
}

/** Whether the load of this team was begun and not finished. */
export async function isUnfinished(client: Client, teamName: string): Promise<boolean> {
  const { teams } = (await client.get('/v1/teams', teamList)).value;
  return teams.some(({ name }) => name === unfinishedName(teamName));
}

type Team = LoadedDemo['team'] & { createdAt: string };

async function claimTeam(client: Client, name: string, isAgain: boolean): Promise<Team> {
  const { teams } = (await client.get('/v1/teams', teamList)).value;
  const unfinished = teams.find((one) => one.name === unfinishedName(name));
  if (unfinished) return unfinished;
  const finished = teams.find((one) => one.name === name);
  if (!finished) return (await client.post('/v1/teams', teamAnswer, { name: unfinishedName(name) })).value;
  if (!isAgain)
    throw conflict(
      `There is a team ${name} already. --again brings the example up to today, --team loads it beside it.`,
    );
  if (!(await isExampleTeam(client, `/v1/teams/${finished.id}`)))
    throw conflict(`The team ${name} is not the example: nothing was changed. Load it under another name with --team.`);
  return finished;
}

async function nameTeam(client: Client, team: Team, name: string): Promise<void> {
  if (team.name !== name) await client.patch(`/v1/teams/${team.id}`, teamAnswer, { name });
}

async function sendGraph(client: Client, path: string, messages: ReturnType<typeof listMessages>): Promise<void> {
  const { rejected, errors } = (await client.post(`${path}/graph`, ingestResult, messages)).value;
  if (rejected > 0) throw new Error(`${rejected} messages were rejected, the first because ${errors[0]?.message}`);
}
