import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Service } from '../../test/harness/service.ts';
import type { Figures } from '../harness/case.ts';
import { processorWaitSeconds } from '../harness/processor-time.ts';

const run = promisify(execFile);
const prober = fileURLToPath(new URL('ping-prober.process.ts', import.meta.url));

/** How `/api/ping` fares for so many seconds. In a process of its own: a loop shared with the service or with the load would measure itself. */
export async function probe(service: Service, seconds: number): Promise<Figures> {
  const env = { ...process.env, URL: `${service.url}/api/ping`, RATE: '200', SECONDS: String(seconds) };
  const before = processorWaitSeconds(service.pid) ?? 0;
  const { stdout } = await run(process.execPath, [prober], { env });
  const waited = (processorWaitSeconds(service.pid) ?? 0) - before;
  return { ...(JSON.parse(stdout) as Figures), waited: (waited * 1000) / seconds }; // what the prober prints
}
