import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll } from '../harness/accessibility.ts';
import { at, depends, type GraphClient, newGraph } from '../harness/graph.ts';
import { describePage, narrow } from '../harness/page.ts';

const day = 86_400;
const now = Math.floor(Date.now() / 1000);
const dayText = (ago: number): string => new Date((now - ago * day) * 1000).toISOString().slice(0, 10);
const midnight = (ago: number): number => Date.parse(dayText(ago)) / 1000;

/** Figures as the service would tell them: the page is tested here, not the computation. */
async function answerFigures(page: Page): Promise<void> {
  const data = Array.from({ length: 20 }, (_, i) => ({
    day: dayText(20 - i),
    value: i === 9 ? 97.5 : 100,
    coverage: 100,
  }));
  await page.route(/\/qos\?/, (route) => route.fulfill({ json: { label: 'Api', name: 'orders', data } }));
  const lost = {
    spans: [[midnight(11) + 36_000, midnight(11) + 38_160]],
    spans_left_out: 0,
    coverage: 100,
    value: 97.5,
  };
  const explained = { counted_seconds: day, ...lost };
  const database = {
    ...explained,
    label: 'Database',
    name: 'orders-db',
    query: 'rule.Uptime',
    cost_seconds: 2160,
    checks: [{ ...lost, check: 'ping', points: 1440, failure: null, cost_seconds: 2160 }],
  };
  const top = { ...explained, label: 'Api', name: 'orders', query: 'operation.AND[Database]', cost_seconds: 0 };
  await page.route(/\/qos\/explain\?/, (route) =>
    route.fulfill({ json: { day: dayText(11), computed_by: '', node: { ...top, dependencies: [database] } } }),
  );
}

describePage('the page of a node', (under) => {
  let graph: GraphClient;
  const path = (label: string, name: string): string =>
    `/app/teams/${graph.teamId}/nodes/${label}/${encodeURIComponent(name)}`;

  beforeAll(async () => {
    graph = await newGraph(under.app);
    await graph.add(
      depends('Api:orders', 'Database:orders-db', { from: now - 300 * day }),
      depends('Api:orders', 'Cache:old', { from: now - 200 * day, to: now - 100 * day }),
      { source: at('Api:orders', { from: now - 400 * day }) },
      { source: at('Website:a/b 50%25 ü') },
      depends('Website:a/b 50%25 ü', 'Api:orders'),
      ...Array.from({ length: 40 }, (_, i) => depends(`Job:job-${String(i).padStart(2, '0')}`, 'Api:orders')),
    );
  });

  const open = async (node: string, options = {}): Promise<Page> => {
    const { label, name } = at(node);
    // An unknown node is asked for in one of the tests.
    const page = await under.openPage('/app', { allow: /404/, ...options });
    await answerFigures(page);
    await page.goto(under.address + path(label, name));
    return page;
  };

  test('tells what it depends on and what depends on it, with the times of each', async () => {
    const page = await open('Api:orders');
    const needs = page.getByRole('region', { name: 'It depends on' }).first();
    await needs.getByRole('link', { name: 'orders-db' }).waitFor();
    await needs.getByText('not active').waitFor();
    expect(await needs.getByRole('img', { name: /^from .* to .* UTC$/ }).count()).toBe(1);
    const impacts = page.getByRole('region', { name: 'Depends on it' }).first();
    await impacts.getByText('1 to 15 of 41').waitFor();
    await impacts.getByRole('button', { name: 'Jobs 40' }).click();
    await impacts.getByRole('button', { name: 'Next' }).click();
    await impacts.getByRole('link', { name: 'job-15' }).waitFor();
    expect(new URL(page.url()).search).toBe('?impacts=Job&impactsPage=2');
  });

  test('draws its figures; a day that is chosen, by pointer or keys, is explained', async () => {
    const page = await open('Api:orders');
    const days = page.getByRole('group', { name: 'Quality of orders: choose a day' });
    const bad = days.getByRole('button', { name: /97\.5/ });
    await days.getByRole('button').last().focus();
    for (let i = 0; i < 11; i++) await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Causes' }).getByText('ping').waitFor();
    expect(await bad.getAttribute('aria-pressed')).toBe('true');
    expect(new URL(page.url()).searchParams.get('day')).toBe(dayText(11));
    await days.getByRole('button').first().click();
    await page.getByText(/^Nothing was known of/).waitFor();
  });

  test('says what to do where there are no figures', async () => {
    const page = await open('Api:orders');
    await page.route(/\/qos\?/, (route) => route.fulfill({ json: { data: [] } }));
    await page.reload();
    await page.getByRole('heading', { name: 'No figures yet' }).waitFor();
  });

  test('any name has an address, and an unknown one is told', async () => {
    const page = await open('Website:a/b 50%25 ü');
    await page.getByRole('heading', { name: 'a/b 50%25 ü', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Explore', exact: true }).click();
    await page.getByRole('button', { name: 'orders Api' }).waitFor();
    await page.goto(under.address + path('Api', 'nobody'));
    await page.getByRole('heading', { name: 'There is no Api nobody' }).waitFor();
  });

  test.each(['light', 'dark'] as const)('is accessible in %s and fits a small phone', async (scheme) => {
    const page = await open(`Api:orders`, { scheme, size: narrow });
    await page.goto(`${page.url()}?day=${dayText(11)}`);
    await page.getByRole('list', { name: 'Causes' }).waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  });
});
