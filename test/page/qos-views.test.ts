import type { Page } from 'playwright-core';
import { beforeAll, test } from 'vitest';
import { expectAccessibleInBoth, expectNoSidewaysScroll } from '../harness/accessibility.ts';
import { describePage, narrow } from '../harness/page.ts';
import { newShop, yesterday } from '../harness/qos-shop.ts';

type View = [path: string, heading: string | RegExp, prepare?: (page: Page) => Promise<void>];

const press =
  (name: string) =>
  (page: Page): Promise<void> =>
    page.getByRole('button', { name }).click();

const views: View[] = [
  ['/labels', 'Labels'],
  ['/labels/Api', /^Worst nodes/],
  [`/explain?label=Shop&name=s&day=${yesterday}`, /^Why, on/],
  ['/objectives', 'Objectives'],
  ['/configuration', 'Dry run', (page) => page.getByLabel('Query of Api').fill('operation.AND[Dsk]')],
  ['/configuration/versions', 'All of it'],
  ['/rules', 'Try it', tryRule],
  ['/checks', 'Add a check', press('Add a check')],
  ['/sources', 'Sources'],
  ['/runs', 'Compute', press('Compute')],
  ['/settings', 'Settings', press('Add a variable')],
];

async function tryRule(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Up' }).click();
  await page.getByLabel('Node').fill('d1');
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByRole('img', { name: 'Up: bad for 47 min' }).waitFor();
}

describePage('the views of the quality of service', (under) => {
  let root: string;
  beforeAll(async () => {
    root = `/app/teams/${(await newShop(under.app)).teamId}/qos`;
  });

  test.each(views)('%s is accessible in light and dark, and fits a narrow window', async (path, heading, prepare) => {
    const page = await under.openPage(root + path, { size: narrow });
    await prepare?.(page);
    await page.getByRole('heading', { name: heading }).first().waitFor();
    await page.waitForLoadState('networkidle');
    await expectNoSidewaysScroll(page);
    await expectAccessibleInBoth(page);
  });
});
