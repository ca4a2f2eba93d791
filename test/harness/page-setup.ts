import { buildPage, isPageStale } from '../../scripts/page.ts';

/** Once, before the tests that load the page or ask for it: it is built from what is there now. */
export default async function setup(): Promise<void> {
  if (isPageStale()) await buildPage();
}
