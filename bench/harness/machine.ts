import { execFileSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';

/** What a figure depends on. Nothing that names the machine or where things lie on it. */
export function describeMachine(): Record<string, string | number> {
  const [cpu] = cpus();
  return {
    cpu: cpu?.model ?? 'unknown',
    cores: cpus().length,
    architecture: process.arch,
    platform: process.platform,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    node: process.version,
    // More than the cores before anything of ours runs: others want the processor too, and absolute figures mean little.
    loadAverageBefore: Math.round(loadavg()[0] * 10) / 10,
    commit: gitCommit(),
  };
}

const git = (...args: string[]): string =>
  execFileSync('git', args, { stdio: ['ignore', 'pipe', 'ignore'] }).toString();

function gitCommit(): string {
  try {
    const changes = git('status', '--porcelain', '--untracked-files=no', '--', '.', ':!bench/results').trim();
    return git('rev-parse', '--short=12', 'HEAD').trim() + (changes === '' ? '' : ' with uncommitted changes');
  } catch {
    return 'unknown';
  }
}
