/** Run by `npm ci`: packs the embedded database's first state, so that the first start is fast. */
import { findTemplate, makeTemplate } from '../src/db/template.ts';

if (!findTemplate()) await makeTemplate();
