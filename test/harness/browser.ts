import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The system's Chromium, or undefined on a machine without one. */
export function findBrowser(): string | undefined {
  const { TEST_BROWSER, PATH = '' } = process.env;
  if (TEST_BROWSER) return TEST_BROWSER;
  const candidates = PATH.split(delimiter).flatMap((directory) => names.map((name) => join(directory, name)));
  return candidates.find((file) => existsSync(file));
}

export function startBrowser(executablePath: string): Promise<Browser> {
  // As root there is no sandbox; and it shall talk to nobody but the pages under test.
  const args = ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
  return chromium.launch({ executablePath, args });
}
