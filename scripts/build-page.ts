/**
 * Builds the page into `web/dist`. Run by `npm ci`.
 *
 * `--if-possible`  does nothing where the development tools are not installed (`npm ci --omit=dev`)
 * `--if-stale`     does nothing where the page is newer than what it is made from
 */
import { parseArgs } from 'node:util';
import { buildPage, isPageStale } from './page.ts';

const { values } = parseArgs({ options: { 'if-possible': { type: 'boolean' }, 'if-stale': { type: 'boolean' } } });

if (!(values['if-possible'] && !hasVite()) && !(values['if-stale'] && !isPageStale())) await buildPage();

function hasVite(): boolean {
  try {
    return import.meta.resolve('vite') !== '';
  } catch {
    return false;
  }
}
