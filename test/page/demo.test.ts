import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { expectAccessibleInBoth } from '../harness/accessibility.ts';
import { findBrowser, startBrowser } from '../harness/browser.ts';
import { adminToken, type RunningServer, startService } from '../harness/command.ts';
import { newTestDirectory } from '../harness/database.ts';
import { desktop } from '../harness/page.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const executable = findBrowser();
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Every area as somebody finds it after `npm start`: the real process, its worker, the embedded database, the example team. */
describe.skipIf(executable === undefined)('the example team on the page', () => {
  let server: RunningServer;
  let browser: Browser;
  let context: BrowserContext;
  let team = '';
  let badDay = '';
  const complaints: string[] = [];

  beforeAll(async () => {
    server = await startService({
      FAULTLINE_DATA_DIR: join(await newTestDirectory(), 'data'),
      FAULTLINE_DEMO: 'true',
      FAULTLINE_LOG: 'info',
    });
    browser = await startBrowser(executable ?? '');
    context = await browser.newContext({ viewport: desktop, colorScheme: 'light', reducedMotion: 'reduce' });
    context.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    context.on('weberror', (error) => complaints.push(error.error().message));
    await context.request.post(`${server.url}/v1/session`, { data: { token: adminToken } });
    while (!server.output().includes('the example team is loaded')) await pause(200);
    badDay = /"badDay":"([\d-]+)"/.exec(server.output())?.[1] ?? '';
    const { teams } = (await (await context.request.get(`${server.url}/v1/teams`)).json()) as {
      teams: { id: string }[];
    }; // our own answer
    team = `/app/teams/${teams[0].id}`;
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  afterEach(() => expect(complaints.splice(0), 'errors in the console of the browser').toEqual([]));

  async function open(path: string): Promise<Page> {
    const page = await context.newPage();
    await page.goto(server.url + path);
    return page;
  }

  test('overview: nine labels with their quality, what waits, what failed, the news', async () => {
    const page = await open('/');
    await page.getByText('293 nodes in 9 labels').waitFor();
    await page
      .getByText(/% over 8 days/)
      .first()
      .waitFor();
    expect(await page.getByRole('link', { name: 'shop.ORDER' }).count()).toBeGreaterThanOrEqual(2);
    await page.getByRole('heading', { name: `Orders could not be written on ${badDay}` }).waitFor();
    await expectAccessibleInBoth(page);
  });

  test('explorer: what is typed is found, and what lies around it is drawn', async () => {
    const page = await open(`${team}/explorer`);
    await page.getByRole('combobox', { name: /search/i }).fill('orders-db');
    await page
      .getByRole('option', { name: /orders-db/ })
      .first()
      .click();
    await page.getByRole('button', { name: /^orders Api/ }).waitFor();
    expect(page.url()).toContain('orders-db');
    await expectAccessibleInBoth(page);
  });

  test('node and quality: the bad day leads down to the disk', async () => {
    const page = await open(`${team}/qos/explain?label=Offer&name=Checkout&day=${badDay}`);
    await page.getByText('disk used').first().waitFor();
    await page.getByText('96.736 %').locator('visible=true').first().waitFor();
    await page.goto(`${server.url}${team}/nodes/Database/orders-db`);
    await page.getByRole('heading', { name: 'orders-db' }).waitFor();
    await page.getByRole('heading', { name: 'Quality of service' }).waitFor();
    await expectAccessibleInBoth(page);
  });

  test('workflows: the order that failed says why', async () => {
    const page = await open('/app/workflows/instances?status=error');
    await page.getByRole('link', { name: 'shop.ORDER' }).first().click();
    await page
      .getByText(/chandelier/i)
      .first()
      .waitFor();
    await expectAccessibleInBoth(page);
  });

  test('platform and administration: services, the channel that is off, users', async () => {
    const page = await open('/app/platform/services');
    await page.getByText('agents-waw1').waitFor();
    await page.goto(`${server.url}/app/platform/channels`);
    await page.getByRole('table').waitFor();
    await expectAccessibleInBoth(page);
    await page.goto(`${server.url}/app/admin/users`);
    await page.getByRole('row', { name: /admin/ }).first().waitFor();
    await expectAccessibleInBoth(page);
  });
});
