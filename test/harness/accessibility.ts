import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const script = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** No serious or critical fault that axe knows, in what is shown now. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(script);
  const violations = await page.evaluate(async () => {
    const { axe: tool } = globalThis as unknown as { axe: typeof axe }; // the script above put it there
    const result = await tool.run({ resultTypes: ['violations'] });
    return result.violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' | ')}`,
      );
  });
  expect(violations, page.url()).toEqual([]);
}

/** In light as in dark; the page must have been opened in light. */
export async function expectAccessibleInBoth(page: Page): Promise<void> {
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  // Colours that are on their way from one to the other are neither. What never ends cannot be finished, and need not be.
  await page.evaluate(
    'document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime < Infinity).forEach((one) => one.finish())',
  );
  await expectAccessible(page);
}

/** Nothing makes the page itself wider than the window: what is wide scrolls in its own box. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const [content, window] = (await page.evaluate(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )) as [number, number]; // runs in the browser
  expect(content, `${page.url()} is wider than the window`).toBeLessThanOrEqual(window);
}
