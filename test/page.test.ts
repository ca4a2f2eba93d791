import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminToken, startTestApp, type TestApp } from './harness/app.ts';
import { findBrowser, startBrowser } from './harness/browser.ts';

const executable = findBrowser();

describe.skipIf(executable === undefined)('the page, in a real browser', () => {
  let app: TestApp;
  let address: string;
  let browser: Browser;
  const complaints: string[] = [];

  beforeAll(async () => {
    app = await startTestApp();
    address = await app.listen();
    browser = await startBrowser(executable ?? '');
  });
  afterAll(() => browser?.close());

  async function open(path: string): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(address + path);
    return page;
  }

  test('the printed link signs in, leaves the address bar, and shows teams and news', async () => {
    const team = await app.createTeam();
    const item = await app.createNews();
    const page = await open(`/#token=${adminToken}`);
    await page.getByText(team.name).waitFor();
    await page.getByText(item.title).waitFor();
    expect(page.url()).toBe(`${address}/`);
    expect(await page.locator('#who').textContent()).toBe('admin');
    await page.reload();
    await page.getByText(team.name).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a wrong token is told, a right one signs in', async () => {
    const page = await open('/');
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Token').fill(adminToken);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Teams' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('a link that somebody else made does not run as a script', async () => {
    await app.createNews('<img src=x onerror=alert(1)>', '<script>document.title="hacked"</script>');
    const page = await open(`/#token=${adminToken}`);
    await page.getByText('<img src=x onerror=alert(1)>').waitFor();
    expect(await page.title()).toBe('Faultline');
  });
});
