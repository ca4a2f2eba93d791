import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100; // the kernel reports in hundredths on every platform that has /proc

/** Seconds of processor time of a process and all below it, those that have ended included. */
export function treeSeconds(pid: number): number {
  const all = new Map(readdirSync('/proc').flatMap((entry) => (/^\d+$/.test(entry) ? read(Number(entry)) : [])));
  const sum = (parent: number): number => {
    let ticks = all.get(parent)?.ticks ?? 0;
    for (const [child, { ppid }] of all) if (ppid === parent) ticks += sum(child);
    return ticks;
  };
  return sum(pid) / ticksPerSecond;
}

function read(pid: number): [number, { ppid: number; ticks: number }][] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in parentheses and may contain anything. 14 to 17: own user and system time, those of ended children.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((total, field) => total + Number(field), 0);
    return [[pid, { ppid: Number(fields[1]), ticks }]];
  } catch {
    return []; // it ended meanwhile
  }
}
