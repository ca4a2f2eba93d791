/**
 * `npm run screenshots [-- NAME…]`: pictures of the page with the example team, for the README and for looking at a change, into
 * docs/screenshots/. A service of its own, on a temporary directory; all of it is gone afterwards.
 *
 * `FAULTLINE_SCREENSHOTS_URL` with `FAULTLINE_TOKEN` takes them of a running service instead.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext } from 'playwright-core';
import { findBrowser, startBrowser } from '../test/harness/browser.ts';
import { startChild } from '../test/harness/child.ts';
import { listPages, type Picture } from './screenshots-pages.ts';
import { shrinkPng } from './shrink-png.ts';

type SignedIn = Awaited<ReturnType<BrowserContext['storageState']>>;
type Service = { url: string; token: string; stop(): Promise<void> };

const target = fileURLToPath(new URL('../docs/screenshots/', import.meta.url));
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const teamName = 'demo';
const waitMs = 300_000;
const settleMs = 1200;
const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const;

const executable = findBrowser();
if (!executable) throw new Error('No Chromium found: install chromium, or set TEST_BROWSER.');
const wanted = process.argv.slice(2);
const service = await findService();
try {
  const browser = await startBrowser(executable);
  const signedIn = await signIn(browser);
  const pictures = await listPages({ ask, teamId: await waitForTeam() });
  await mkdir(target, { recursive: true });
  for (const picture of pictures) {
    if (wanted.length === 0 || wanted.includes(picture.name)) await take(browser, signedIn, picture);
  }
  await browser.close();
} finally {
  await service.stop();
}

async function take(
  browser: Browser,
  signedIn: SignedIn,
  { name, path, prepare, schemes = ['light'] }: Picture,
): Promise<void> {
  for (const scheme of schemes) {
    for (const [device, viewport] of Object.entries(sizes)) {
      const context = await browser.newContext({
        viewport,
        colorScheme: scheme,
        reducedMotion: 'reduce',
        timezoneId: 'UTC',
        ...(name === 'sign-in' ? {} : { storageState: signedIn }),
      });
      const page = await context.newPage();
      await page.goto(service.url + path);
      await page.waitForLoadState('networkidle', { timeout: 10_000 }).catch(() => undefined); // streams of events never rest
      await prepare?.(page);
      await page.locator('.skeleton').first().waitFor({ state: 'detached', timeout: 10_000 });
      // Layouts come from other threads; a picture taken while one moves is no use.
      await page.waitForTimeout(settleMs);
      const file = `${name}-${device}${scheme === 'dark' ? '-dark' : ''}.png`;
      await writeFile(join(target, file), shrinkPng(await page.screenshot()));
      await context.close();
      print(file);
    }
  }
}

/** Once for all pictures: each time would be a line in the audit log. */
async function signIn(browser: Browser): Promise<SignedIn> {
  const context = await browser.newContext();
  await context.request.post(`${service.url}/v1/session`, { data: { token: service.token } });
  return context.storageState();
}

async function findService(): Promise<Service> {
  const { FAULTLINE_SCREENSHOTS_URL: url, FAULTLINE_TOKEN: token = '' } = process.env;
  if (url) return { url, token, stop: async () => undefined };
  const dataDir = await mkdtemp(join(tmpdir(), 'faultline-screenshots-'));
  const child = await startChild({
    script: main,
    args: ['serve'],
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      FAULTLINE_DATA_DIR: dataDir,
      FAULTLINE_ADMIN_TOKEN: 'token-for-screenshots',
      FAULTLINE_DEMO: 'true',
      FAULTLINE_LOG: 'warn',
    },
    ready: /Faultline is ready at (\S+) on (.+)\.\n/,
  });
  return {
    url: child.ready[1] ?? '',
    token: 'token-for-screenshots',
    async stop() {
      await child.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function ask<T>(path: string): Promise<T> {
  const answer = await fetch(service.url + path, { headers: { authorization: `Bearer ${service.token}` } });
  if (!answer.ok) throw new Error(`GET ${path}: ${answer.status}`);
  return (await answer.json()) as T; // our own interface
}

/** The example team is loaded after the service is ready, and has its name when it is complete. */
async function waitForTeam(): Promise<string> {
  const until = Date.now() + waitMs;
  while (Date.now() < until) {
    const { teams } = await ask<{ teams: { id: string; name: string }[] }>('/v1/teams');
    const team = teams.find(({ name }) => name === teamName);
    if (team) return team.id;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  throw new Error(`The team ${teamName} was not there after ${waitMs / 1000} seconds.`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
