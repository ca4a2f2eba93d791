import { expect, test } from 'vitest';
import { calendarOf, listDays } from './calendar.ts';
import { listMessages } from './estate.ts';
import { storyOf } from './story.ts';

const calendar = calendarOf(Date.UTC(2026, 10, 15, 9), Date.UTC(2026, 10, 15, 10));
const messages = listMessages(calendar);
const keyOf = ({ label, name }: { label: string; name: string }) => `${label} ${name}`;
const nodes = new Set(messages.flatMap(({ source, target }) => [source, ...(target ? [target] : [])]).map(keyOf));

test('the estate has some hundred nodes over nine labels', () => {
  const counts: Record<string, number> = {};
  for (const node of nodes) counts[node.split(' ', 1)[0]] = (counts[node.split(' ', 1)[0]] ?? 0) + 1;
  expect(counts).toEqual({
    Website: 6,
    Offer: 14,
    Application: 39,
    Api: 54,
    Database: 18,
    Pool: 18,
    Server: expect.any(Number),
    Rack: expect.any(Number),
    Datacenter: 3,
  });
  expect(nodes.size).toBeGreaterThan(250);
  expect(nodes.size).toBeLessThan(400);
});

test('some interfaces are hubs, and three of them call each other in a circle', () => {
  const callersOf = (name: string) =>
    messages.filter(({ source, target }) => source.label === 'Application' && target?.name === name);
  expect(callersOf('identity')).toHaveLength(39);
  const calls = (from: string, to: string) =>
    messages.some(({ source, target }) => keyOf(source) === `Api ${from}` && target && keyOf(target) === `Api ${to}`);
  expect([calls('orders', 'pricing'), calls('pricing', 'promotions'), calls('promotions', 'orders')]).toEqual([
    true,
    true,
    true,
  ]);
});

test('the checkout moves from one version of payments to the next without a gap or an overlap', () => {
  const [former, next] = messages
    .filter(({ target }) => target?.name.startsWith('payments-') && target.label === 'Api')
    .filter(({ source }) => source.name === 'checkout-web');
  expect([former.target?.name, next.target?.name]).toEqual(['payments-v1', 'payments-v2']);
  expect(next.rel?.from).toBe((former.rel?.to ?? 0) + 1);
});

test('loading again on a later day tells the same graph and only adds days', () => {
  const later = { ...calendar, now: calendar.now + 3 * 86_400 };
  expect(listMessages(later)).toEqual(messages);
  expect(storyOf(later)).toEqual(storyOf(calendar));
  expect(listDays(later).slice(0, 8)).toEqual(listDays(calendar));
  expect(listDays(later)).toHaveLength(11);
});

test('long after the birthday only the last weeks are told', () => {
  const later = { ...calendar, now: calendar.now + 400 * 86_400 };
  expect(listDays(later)).toHaveLength(31);
});
