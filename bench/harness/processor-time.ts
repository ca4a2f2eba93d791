import { readFileSync } from 'node:fs';

const ticksPerSecond = 100; // the kernel reports in hundredths on every platform that has /proc

/** Seconds of processor time that a process has used, all threads together; undefined where the system does not tell. */
export function processorSeconds(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in parentheses and may contain anything; user and system time are the 14th and 15th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return undefined;
  }
}

/** Seconds that the main thread of a process was ready to run but had to wait for a processor; undefined where nobody tells. */
export function processorWaitSeconds(pid: number): number | undefined {
  try {
    const [, waitedNanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
    return Number(waitedNanoseconds) / 1e9;
  } catch {
    return undefined;
  }
}
