import { expect, test } from 'vitest';
import { at, calendarOf, dayOf, listDays } from './calendar.ts';
import { listMeasurements, type Measurement } from './measurements.ts';
import { listOutages, type Outage } from './outages.ts';
import { checks } from './quality.ts';
import { badDay, brokenDatabase, storyOf } from './story.ts';

const calendar = calendarOf(Date.UTC(2026, 10, 15, 9), Date.UTC(2026, 10, 15, 10));
const story = storyOf(calendar);
const days = listDays(calendar);
const bounds: Record<string, [number, number]> = {
  'packet loss': [-Infinity, 20],
  'load per core': [-Infinity, 2],
  'disk used': [-Infinity, 95],
  'replication lag': [-Infinity, 30],
  'inlet temperature': [16, 27],
};
const isGood = ({ check, value }: Measurement) => value >= bounds[check][0] && value <= bounds[check][1];

test('a day has some thousand measurements of every check, the same whenever it is asked for', () => {
  const day = listMeasurements(calendar, days[1]);
  expect(day.length).toBeGreaterThan(4000);
  expect(day.length).toBeLessThan(20_000);
  expect(new Set(day.map(({ check }) => check))).toEqual(new Set(Object.keys(bounds)));
  expect(listMeasurements(calendar, days[1])).toEqual(day);
});

test('a measurement is bad exactly while an outage of its node and check lasts', () => {
  const isInTrouble = ({ name, check, ts }: Measurement, outages: Outage[]) =>
    outages.some((one) => one.name === name && checks[one.check].name === check && one.from <= ts && ts < one.to);
  const surprising = days.flatMap((day) => {
    const outages = listOutages(calendar, day);
    return listMeasurements(calendar, day).filter((one) => isGood(one) === isInTrouble(one, outages));
  });
  expect(surprising).toEqual([]);
});

test('on the bad day the disk of the orders fills up and is full for 47 minutes, to the second', () => {
  const disk = listMeasurements(calendar, at(calendar, badDay)).filter(
    ({ name, check }) => name === brokenDatabase && check === 'disk used',
  );
  const bad = disk.filter((one) => !isGood(one)).map(({ ts }) => ts);
  const after = disk.find(({ ts }) => ts > Math.max(...bad));
  expect({ from: Math.min(...bad), to: after?.ts }).toEqual(story.outage);
  expect(story.outage.to - story.outage.from).toBe(47 * 60);
  const before = disk.filter(({ ts }) => ts < story.outage.from).map(({ value }) => value);
  expect(before.at(0)).toBeLessThan(90);
  expect(before.at(-1)).toBeGreaterThan(94);
});

test('nothing is measured in the future, on a retired server, or by a dead agent', () => {
  const all = days.flatMap((day) => listMeasurements(calendar, day));
  const newestOf = (wanted: string) => Math.max(...all.filter(({ name }) => name === wanted).map(({ ts }) => ts));
  expect(all.filter(({ ts }) => ts > calendar.now)).toEqual([]);
  expect(newestOf(story.retired.server)).toBeLessThanOrEqual(story.retired.at);
  expect(newestOf(story.silent.server)).toBeLessThanOrEqual(story.silent.at);
  expect(new Set(all.map(({ label, name, check, ts }) => `${label} ${name} ${check} ${ts}`)).size).toBe(all.length);
});

test('at no moment is something wrong that has not ended: it would count until midnight', () => {
  const hours = Array.from({ length: 200 }, (_, index) => calendar.now + index * 1800);
  const bad = hours.flatMap((now) => {
    const then = { ...calendar, now };
    return listOutages(then, dayOf(now)).filter(({ to }) => to > now);
  });
  expect(bad).toEqual([]);
});

test('most of what goes wrong is small and at night', () => {
  const outages = days.flatMap((day) => listOutages(calendar, day)).filter(({ name }) => name !== brokenDatabase);
  expect(outages.length).toBeGreaterThan(4);
  expect(outages.filter(({ from, to }) => to - from > 900)).toEqual([]);
});
