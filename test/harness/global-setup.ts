import { writeFile } from 'node:fs/promises';
import { Client, Pool } from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/db/migrate.ts';
import { findPostgresBinaries, type PostgresServer, startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of a PostgreSQL server for tests; empty in the other projects. */
    serverUrl: string;
    /** A migrated database there, to be copied. */
    templateName: string;
  }
}

/** Once for all files of the project `postgres`: a server, and in it a migrated database that each file copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL'];
  const binaries = given ? undefined : await findPostgresBinaries();
  if (!given && !binaries) throw new Error('No PostgreSQL server found: set TEST_DATABASE_URL or install postgresql.');
  const server: PostgresServer = binaries ? await startPostgres(binaries) : { url: given ?? '', stop: async () => {} };
  const templateName = `faultline_template_${process.pid}`;
  await runOn(server.url, `create database ${templateName}`);
  const pool = new Pool({ connectionString: withDatabase(server.url, templateName) });
  await migrate({ pool });
  await reportVersion(pool);
  await pool.end();
  project.provide('serverUrl', server.url);
  project.provide('templateName', templateName);
  return async () => {
    await runOn(server.url, `drop database if exists ${templateName}`);
    await server.stop();
  };
}

/** For the summary that `npm test` prints. */
async function reportVersion(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ server_version: string }>('show server_version');
  const file = process.env['FAULTLINE_TEST_VERSION_FILE'];
  if (file) await writeFile(file, rows[0]?.server_version.split(' ')[0] ?? '');
}

export function withDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

export async function runOn(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
