import { fileURLToPath } from 'node:url';
import { type Child, startChild } from './child.ts';

export type Service = Child & { url: string; database: string; adminToken: string };

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const announcement = /Faultline is ready at (\S+) on (.+)\.\n/;

/** `faultline serve` as people run it: a process of its own, on a free loopback port. */
export async function startService(options: {
  dataDir: string;
  databaseUrl?: string;
  adminToken?: string;
  env?: Record<string, string>;
  script?: string;
  nodeArgs?: string[];
}): Promise<Service> {
  const { dataDir, databaseUrl = '', adminToken = 'a-token-for-tests', script, nodeArgs } = options;
  const child = await startChild({
    script: script ?? main,
    args: script === undefined ? ['serve'] : [],
    nodeArgs,
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: databaseUrl,
      FAULTLINE_DATA_DIR: dataDir,
      FAULTLINE_ADMIN_TOKEN: adminToken,
      FAULTLINE_LOG: 'warn',
      ...options.env,
    },
    ready: announcement,
  });
  const [, url = '', database = ''] = child.ready;
  return { ...child, url, database, adminToken };
}
