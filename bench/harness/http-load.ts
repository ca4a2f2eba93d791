import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const connections = 50;

export type HttpLoad = { url: string; headers: Record<string, string>; seconds: number };

const hasWrk = canRun('wrk');
export const loadGenerator = hasWrk ? 'wrk' : 'autocannon';

/**
 * Requests a second that a server sustains, asked by a process of its own: wrk where it is installed, because it needs a fraction of
 * the processor time that a server needs; else autocannon. Any answer but a 200 is an error, not a fast answer.
 */
export const requestsPerSecond = (load: HttpLoad): Promise<number> => (hasWrk ? runWrk(load) : runAutocannon(load));

async function runWrk({ url, headers, seconds }: HttpLoad): Promise<number> {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const { stdout } = await run('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, ...given, url]);
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1];
  if (rate === undefined || /Non-2xx|Socket errors/.test(stdout)) throw new Error(`wrk saw failures:\n${stdout}`);
  return Number(rate);
}

async function runAutocannon({ url, headers, seconds }: HttpLoad): Promise<number> {
  const script = fileURLToPath(import.meta.resolve('autocannon'));
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const args = [script, '-j', '-n', '-c', String(connections), '-d', String(seconds), ...given, url];
  const { stdout } = await run(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 });
  // autocannon's own report
  const report = JSON.parse(stdout) as { requests: { average: number }; non2xx: number; errors: number };
  if (report.non2xx > 0 || report.errors > 0) throw new Error('autocannon saw failures');
  return report.requests.average;
}

function canRun(command: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
