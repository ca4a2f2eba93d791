import { expect, test } from 'vitest';
import { findViolations } from '../scripts/import-rules.ts';

const check = (path: string, text: string): string[] => findViolations([{ path, text }]);

test.each([
  ['src/news/news.service.ts', "import Fastify from 'fastify';"],
  ['src/news/news.store.ts', "import type { FastifyRequest } from 'fastify';"],
  ['src/news/words.ts', "import cookie from '@fastify/cookie';"],
  ['src/clock.ts', "export { fastify } from 'fastify';"],
])('%s may not speak HTTP: %s', (path, text) => {
  expect(check(path, text)).toEqual([expect.stringContaining('only *.routes.ts and src/http speak HTTP')]);
});

test.each([
  ['src/news/news.routes.ts', "import { sql } from 'kysely';"],
  ['src/news/news.service.ts', "import type { Kysely } from 'kysely';"],
  ['src/http/health.routes.ts', "import pg from 'pg';"],
  ['src/news/words.ts', "const pg = await import('pg');"],
  ['src/cli/backup.ts', "import {\n  from,\n} from 'pg-copy-streams';"],
])('%s may not speak SQL: %s', (path, text) => {
  expect(check(path, text)).toEqual([expect.stringContaining('only *.store.ts and src/db speak SQL')]);
});

test.each([
  ['src/news/news.service.ts', "import { find } from '../identity/users.store.ts';"],
  ['src/news/news.routes.ts', "import type { A } from '../identity/session.routes.ts';"],
  ['src/graph/impact.ts', "import { hash } from '../identity/credential.ts';"],
  ['src/graph/model/base.ts', "import { hash } from '../../identity/credential.ts';"],
])('%s may not reach into another feature: %s', (path, text) => {
  expect(check(path, text)).toEqual([expect.stringContaining('only through its *.service.ts or *.schemas.ts')]);
});

test.each([
  ['web/news.ts', "import { newsItem } from '../src/news/news.schemas.ts';"],
  ['web/news.ts', "import type { NewsService } from '../src/news/news.service.ts';"],
  ['web/news/list.tsx', "import '../../src/news/words.ts';"],
  ['web/qos/editor.tsx', "import { parse } from '../../src/qos/query-parser.js';"],
])('%s may take only types of schemas: %s', (path, text) => {
  expect(check(path, text)).toEqual([expect.stringContaining('the page takes only types')]);
});

test.each([
  ['src/news/words.ts', 'const home = process.env.HOME;'],
  ['src/app.ts', 'const { HOME } = process.env;'],
  ['src/cli/serve.ts', 'const level = process.env.FAULTLINE_LOG;'],
  ['src/news/words.ts', "import { env } from 'node:process';"],
])('%s may not read the environment: %s', (path, text) => {
  expect(check(path, text)).toEqual([expect.stringContaining('reads process.env')]);
});

test.each([
  ['src/news/news.routes.ts', "import type { FastifyReply } from 'fastify';"],
  ['src/http/server.ts', "import Fastify from 'fastify';"],
  ['src/app.ts', "import fastifyStatic from '@fastify/static';\nimport { a } from './news/news.store.ts';"],
  ['src/news/news.store.ts', "import { sql } from 'kysely';\nimport { writeAudit } from '../db/audit.ts';"],
  ['src/news/news.service.ts', "import { a } from '../identity/tokens.service.ts';"],
  ['src/news/news.service.ts', "import type { Actor } from '../identity/access.ts';"],
  ['src/news/news.store.test.ts', "import pg from 'pg';\nprocess.env.HOME;"],
  ['web/news.ts', "import type { NewsItem } from '../src/news/news.schemas.ts';\nimport { h } from './h.ts';"],
  ['web/qos/editor.tsx', "import { checkConfig } from '../../src/qos/config-check.ts';"],
  ['web/qos/editor.tsx', "import { parseQuery } from '../../src/qos/query.ts';"],
  ['src/cli/serve.ts', 'const config = readConfig(process.env);'],
  ['src/config.ts', 'const config = process.env;'],
  ['src/news/words.ts', "// import pg from 'pg';\n/* process.env */"],
])('%s may: %s', (path, text) => {
  expect(check(path, text)).toEqual([]);
});
