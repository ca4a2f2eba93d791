import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll } from '../harness/accessibility.ts';
import { at, depends, type GraphClient, newGraph } from '../harness/graph.ts';
import { describePage, narrow } from '../harness/page.ts';

const day = 86_400;
const now = Math.floor(Date.now() / 1000);
const machines = 5000;
/** A browser that draws without a graphics card takes its time. */
const patient = { timeout: 20_000 };

describePage('the explorer', (under) => {
  let graph: GraphClient;
  let explorer: string;
  const node = (label: string, name: string, rest = ''): string =>
    `${explorer}?${new URLSearchParams({ label, name }).toString()}${rest}`;

  beforeAll(async () => {
    graph = await newGraph(under.app);
    explorer = `/app/teams/${graph.teamId}/explorer`;
    await graph.add(
      depends('Website:shop.example.org', 'Api:orders'),
      depends('Website:old.example.org', 'Api:orders', { from: now - 90 * day, to: now - 30 * day }),
      depends('Api:orders', 'Database:orders-db'),
      depends('Database:orders-db', 'Server:db-1'),
      depends('Server:db-1', 'Datacenter:fra1'),
      { source: at('Website:100%41 / a&b=c?') },
      ...Array.from({ length: machines }, (_, i) =>
        depends(`Machine:vm-${String(i).padStart(4, '0')}`, 'Datacenter:fra1'),
      ),
    );
  });

  const drawn = (page: Page, name: string) =>
    page.getByRole('group', { name: 'Drawing' }).getByRole('button', { name });

  test('search finds nodes of any label with one small request for each text', async () => {
    const page = await under.openPage(explorer);
    const asked: string[] = [];
    page.on('request', (request) => request.url().includes('/graph/search') && asked.push(request.url()));
    const field = page.getByRole('combobox', { name: 'Search nodes' });
    await field.waitFor();
    await page.keyboard.press('/');
    await expect.poll(() => focused(page), patient).toBe('Search nodes');
    await field.fill('ORDERS');
    const list = page.getByRole('listbox', { name: 'Nodes found' });
    await list.getByRole('option').nth(1).waitFor();
    expect(await list.getByRole('option').allInnerTexts()).toEqual(['orders\nApi', 'orders-db\nDatabase']);
    expect(asked).toHaveLength(1);
    await field.press('ArrowDown');
    await field.press('Enter');
    await page.getByRole('heading', { name: 'orders-db', level: 1 }).waitFor();
    expect(new URL(page.url()).searchParams.get('name')).toBe('orders-db');
    await field.fill('vm-');
    await page.getByText('There are more: go on typing.').waitFor();
    expect(await list.getByRole('option').count()).toBeLessThanOrEqual(50);
  });

  test('nodes open and close on a click, and the address shows a colleague the same', async () => {
    const page = await under.openPage(node('Database', 'orders-db'));
    await drawn(page, 'orders Api').click();
    await drawn(page, 'shop.example.org Website').waitFor();
    expect(await drawn(page, 'old.example.org Website').count()).toBe(0);
    await drawn(page, 'db-1 Server').click();
    await drawn(page, 'fra1 Datacenter').waitFor();
    const other = await under.openPage(page.url().slice(under.address.length));
    await drawn(other, 'shop.example.org Website').waitFor();
    await drawn(other, 'fra1 Datacenter').waitFor();
    await drawn(other, 'orders Api').click();
    await drawn(other, 'shop.example.org Website').waitFor({ state: 'detached' });
    await other.goBack();
    await drawn(other, 'shop.example.org Website').waitFor();
  });

  test('what is not active comes with the switch, or on the day it was', async () => {
    const page = await under.openPage(node('Api', 'orders'));
    await drawn(page, 'shop.example.org Website').waitFor();
    await page.getByLabel('Also inactive').check();
    await drawn(page, 'old.example.org Website, not active that day').waitFor();
    await page.getByLabel('Also inactive').uncheck();
    await drawn(page, 'old.example.org Website').waitFor({ state: 'detached' });
    await page.getByLabel('Day (UTC)').fill(new Date((now - 60 * day) * 1000).toISOString().slice(0, 10));
    await drawn(page, 'old.example.org Website').waitFor();
    await page.getByLabel('Direction').selectOption('dependencies');
    await drawn(page, 'old.example.org Website').waitFor({ state: 'detached' });
    await drawn(page, 'orders-db Database').waitFor();
  });

  test('the drawing can be walked with the keys', async () => {
    const page = await under.openPage(node('Api', 'orders'));
    await drawn(page, 'orders Api').focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => focused(page), patient).toContain('orders-db Database');
    await page.keyboard.press('Enter');
    await drawn(page, 'db-1 Server').waitFor();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => focused(page), patient).toContain('orders Api');
  });

  test('thousands of neighbours are grouped and counted, and open as a list in pages', async () => {
    const page = await under.openPage(node('Datacenter', 'fra1'));
    const rest = drawn(page, 'and 4,992 more Machines, as a list');
    await rest.waitFor();
    expect(await page.locator('.drawing-node').count()).toBeLessThan(20);
    await rest.click();
    await page.getByRole('heading', { name: '5,000 Machines' }).waitFor();
    await page.getByText('1 to 25 of 5,000').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('button', { name: 'vm-0025' }).click();
    await page.getByRole('heading', { name: 'vm-0025', level: 1 }).waitFor();
    await drawn(page, 'fra1 Datacenter').waitFor();
  });

  test('the same as nested lists, without the drawing', async () => {
    const page = await under.openPage(node('Database', 'orders-db', '&form=list'));
    await page.getByRole('button', { name: 'Open Api orders' }).click();
    await page.getByRole('button', { name: 'shop.example.org', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Close Api orders' }).click();
    await page.getByRole('button', { name: 'shop.example.org', exact: true }).waitFor({ state: 'detached' });
  });

  test('what breaks is totalled by label and listed in pages, as of a moment, and can be taken along', async () => {
    const page = await under.openPage(node('Datacenter', 'fra1', '&view=impacted'));
    await page.getByText('1 to 25 of 5,004').waitFor();
    await page.getByRole('button', { name: 'Websites 1' }).click();
    await page.getByRole('link', { name: 'shop.example.org' }).waitFor();
    await page.getByLabel('Also what is not active then').check();
    await page.getByRole('link', { name: 'old.example.org' }).waitFor();
    const ts = now - 60 * day;
    const then = await under.openPage(node('Datacenter', 'fra1', `&view=impacted&ts=${ts}`));
    await then.getByText('5,005 of 5,005 are active then.').waitFor();
    await then.getByRole('button', { name: 'Export' }).click();
    const download = then.waitForEvent('download');
    await then.getByRole('link', { name: 'This list, all of it, as JSON' }).click();
    expect((await download).suggestedFilename()).toBe('impacted-by-Datacenter-fra1.json');
  });

  test('the whole graph is drawn, labels can be left out, and a node that is looked for is flown to', async () => {
    const page = await under.openPage(`${explorer}?view=whole`, { allow: /WebGL|GPU/ });
    await page.locator('[data-ready=true]').waitFor();
    await page.getByText('5,007 nodes, 5,005 relationships.').waitFor();
    await page.getByLabel('Machines').uncheck();
    await expect.poll(() => new URL(page.url()).searchParams.get('hide'), patient).toBe('Machine');
    await page.getByRole('combobox', { name: 'Search nodes' }).fill('fra1');
    await page.getByRole('option', { name: 'fra1' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('camera'), patient).not.toBe(null);
  });

  test('any name makes a link that leads back to it', async () => {
    const name = '100%41 / a&b=c?';
    const page = await under.openPage(explorer);
    await page.getByRole('combobox', { name: 'Search nodes' }).fill('100%41');
    await page.getByRole('option', { name }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.getByText('Nothing around it on this day').waitFor();
  });

  test('a team without a graph is told what to do', async () => {
    const empty = await newGraph(under.app);
    const page = await under.openPage(`/app/teams/${empty.teamId}/explorer`);
    await page.getByRole('heading', { name: 'This team has no graph yet' }).waitFor();
    await page.getByRole('button', { name: 'Whole graph' }).click();
    await page.getByRole('heading', { name: 'This team has no graph yet' }).waitFor();
  });

  test.each(['light', 'dark'] as const)('every view is accessible in %s, and fits a small phone', async (scheme) => {
    const page = await under.openPage(explorer, { scheme, size: narrow, allow: /WebGL|GPU/ });
    const shown = [
      ['', page.getByText('around it')],
      ['&form=list', page.getByRole('heading', { name: 'Depends on it' }).first()],
      ['&view=impacted', page.getByText('1 to 3 of 3')],
      ['&view=whole', page.locator('[data-ready=true]')],
    ] as const;
    await page.getByRole('heading', { name: '1 Datacenter' }).waitFor();
    await expectAccessible(page);
    for (const [rest, sign] of shown) {
      await page.goto(under.address + node('Server', 'db-1', rest));
      await sign.waitFor();
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
    }
  });
});

const focused = (page: Page): Promise<string> =>
  page.evaluate<string>('document.activeElement?.getAttribute("aria-label") ?? ""');
