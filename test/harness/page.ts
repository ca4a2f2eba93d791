import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { adminToken, startTestApp, type TestApp } from './app.ts';
import { findBrowser, startBrowser } from './browser.ts';

const executable = findBrowser();

type OpenOptions = {
  /** Undefined signs in as the administrator, null not at all. */
  token?: string | null;
  scheme?: 'light' | 'dark';
  size?: { width: number; height: number };
  /** Complaints that this test wants to see: the browser reports refused requests as errors. */
  allow?: RegExp;
};

export type PageUnderTest = {
  app: TestApp;
  /** The address of the service, without a slash at its end. */
  address: string;
  /** Opens a path, signed in; whatever the browser complains about fails the test. */
  openPage: (path: string, options?: OpenOptions) => Promise<Page>;
};

export const narrow = { width: 360, height: 740 };
export const desktop = { width: 1280, height: 800 };

/**
 * Tests of the page in a real browser, on a service with the built page. Skipped where there is no browser; the summary of `npm test`
 * says so.
 */
export function describePage(
  title: string,
  define: (under: PageUnderTest) => void,
  options: Parameters<typeof startTestApp>[0] = {},
): void {
  describe.skipIf(executable === undefined)(title, () => {
    let browser: Browser;
    const complaints: string[] = [];
    const contexts: BrowserContext[] = [];
    // Filled before the first test runs; until then nothing may be asked of it.
    const under = {} as PageUnderTest;

    beforeAll(async () => {
      under.app = await startTestApp(options);
      under.address = await under.app.listen();
      under.openPage = openPage;
      browser = await startBrowser(executable ?? '');
    });
    afterAll(() => browser?.close());
    afterEach(async () => {
      await Promise.all(contexts.splice(0).map((context) => context.close()));
      expect(complaints.splice(0), 'errors in the console of the browser').toEqual([]);
    });

    async function openPage(path: string, options: OpenOptions = {}): Promise<Page> {
      const { token = adminToken, scheme = 'light', size = desktop, allow } = options;
      const context = await browser.newContext({ colorScheme: scheme, viewport: size, reducedMotion: 'reduce' });
      contexts.push(context);
      const complain = (text: string): void => void (allow?.test(text) || complaints.push(text));
      context.on('console', (message) => message.type() === 'error' && complain(message.text()));
      context.on('weberror', (error) => complain(error.error().message));
      if (token !== null) await signIn(context, under.address, token);
      const page = await context.newPage();
      await page.goto(under.address + path);
      return page;
    }

    define(under);
  });
}

/** The cookie that the page would have got: quicker than filling in the form in every test. */
async function signIn(context: BrowserContext, address: string, token: string): Promise<void> {
  const answer = await context.request.post(`${address}/v1/session`, { data: { token } });
  expect(answer.status()).toBe(201);
}
