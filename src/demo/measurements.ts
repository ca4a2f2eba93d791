import { type Calendar, daySeconds } from './calendar.ts';
import { noise } from './noise.ts';
import { listOutages, type Outage } from './outages.ts';
import { type CheckKey, checks } from './quality.ts';
import { listServers } from './servers.ts';
import { databases, datacenters } from './shop.ts';
import { brokenDatabase, storyOf } from './story.ts';
import { valueOf } from './values.ts';

/** As `POST /v1/teams/{team_id}/measurements` takes it. */
export type Measurement = { label: string; name: string; check: string; ts: number; value: number };

/** How often agents report, in seconds; while something is wrong they do so every minute. */
const every: Record<CheckKey, number> = { packetLoss: 3600, load: 7200, disk: 1800, lag: 3600, inlet: 3600 };
const everyInTrouble = 60;
const latestOffset = 240;

/** All that was measured on one day, up to now. */
export function listMeasurements(calendar: Calendar, day: number): Measurement[] {
  const { silent, retired, outage: diskFull } = storyOf(calendar);
  const outages = listOutages(calendar, day);
  const lastOf = (name: string): number =>
    Math.min(
      calendar.now,
      name === silent.server ? silent.at : Infinity,
      name === retired.server ? retired.at : Infinity,
    );
  return listSubjects().flatMap(({ label, name, keys }) =>
    keys.flatMap((key) => {
      const mine = outages.filter((outage) => outage.name === name && outage.check === key);
      return listTimes(name, key, day, mine)
        .filter((ts) => ts <= lastOf(name))
        .map((ts) => ({ label, name, check: checks[key].name, ts, value: valueAt(name, key, ts, mine, diskFull) }));
    }),
  );
}

type Span = { from: number; to: number };
type Subject = { label: string; name: string; keys: CheckKey[] };

function listSubjects(): Subject[] {
  const { pools, databases: hosts } = listServers();
  const servers = [...Object.values(pools), ...Object.values(hosts)].flat();
  return [
    ...servers.map(({ name }): Subject => ({ label: 'Server', name, keys: ['packetLoss', 'load'] })),
    ...Object.keys(databases).map((name): Subject => ({ label: 'Database', name, keys: ['disk', 'lag'] })),
    ...datacenters.map((name): Subject => ({ label: 'Datacenter', name, keys: ['inlet'] })),
  ];
}

/** Each agent has its own seconds to report at, so that not all come at once; the first and the last are close to midnight. */
function listTimes(name: string, key: CheckKey, day: number, outages: Outage[]): number[] {
  const offset = Math.floor(noise(`offset ${name} ${key}`) * latestOffset);
  const regular = [...range(day + offset, day + daySeconds, every[key]), day + daySeconds - 1 - offset];
  const inTrouble = outages.flatMap(({ from, to }) => [...range(from, to, everyInTrouble), to]);
  return [...new Set([...regular, ...inTrouble])].toSorted((a, b) => a - b);
}

const range = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.max(0, Math.ceil((to - from) / step)) }, (_, index) => from + index * step);

function valueAt(name: string, key: CheckKey, ts: number, outages: Outage[], diskFull: Span): number {
  const trouble = outages.find(({ from, to }) => from <= ts && ts < to);
  if (trouble) return rounded(trouble.value * (0.985 + 0.015 * noise(name, ts)));
  if (key === 'disk' && name === brokenDatabase) return rounded(fillingDisk(diskFull, ts));
  return rounded(valueOf(name, key, ts));
}

/** The disk of the orders fills for two days, is full for 47 minutes, and is cleared: the curve that the explanation leads to. */
function fillingDisk(full: Span, ts: number): number {
  if (ts >= full.to) return Math.min(80, 61 + (0.8 * (ts - full.to)) / daySeconds);
  return Math.max(66, 94.9 - (0.6 * (full.from - ts)) / 3600) - 0.4 * noise('disk of the orders', ts);
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
