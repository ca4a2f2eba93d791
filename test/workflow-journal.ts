import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Instance, Json } from './harness/workflows.ts';

/**
 * What tasks did, in the order in which they did it: every attempt appends a line when it begins and one when it is about to return, and
 * the operating system puts lines of all processes into one order.
 */
export type JournalLine = {
  at: 'begin' | 'end';
  task: string;
  key: string;
  attempt: number;
  nonce: string;
  /** At the beginning: results of those before, as the task saw them. */
  results: Record<string, Json>;
};

/** The source of a file in `tasks/` whose tasks keep the journal. Some attempts fail, the same ones each time. */
export const journalTasks = (path: string, names: string[]): string => `
import { appendFileSync } from 'node:fs';
const write = (line) => appendFileSync(${JSON.stringify(path)}, JSON.stringify(line) + '\\n');
async function run({ task, results }) {
  const nonce = Math.random().toString(36).slice(2);
  const mine = { task: task.id, key: task.key, attempt: task.attempt, nonce };
  write({ at: 'begin', ...mine, results });
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
  if (task.key === 'B' && task.attempt === 1 && task.id.charCodeAt(35) % 3 === 0) throw new Error('the first attempt fails');
  write({ at: 'end', ...mine });
  return task.key === 'A' ? { attempt: task.attempt, nonce, list: [1, 2, 3] } : { attempt: task.attempt, nonce };
}
${names.map((name) => `export const ${name} = run;`).join('\n')}
`;

export async function readJournal(path: string): Promise<JournalLine[]> {
  appendFileSync(path, '');
  const text = await readFile(path, 'utf8');
  return text.split('\n').flatMap((line) => (line.startsWith('{') && line.endsWith('}') ? [JSON.parse(line)] : []));
}

/** What is wrong with instances that have ended, given what their tasks did; empty when all is well. */
export function findFaults(instances: Instance[], journal: JournalLine[]): string[] {
  const faults: string[] = [];
  const begins = new Map<string, number[]>();
  const ends = new Map<string, number>();
  const attempts = new Set<string>();
  journal.forEach(({ at, task, attempt, nonce }, place) => {
    if (at === 'end') ends.set(`${task} ${attempt} ${nonce}`, place);
    else {
      begins.set(task, [...(begins.get(task) ?? []), place]);
      if (attempts.has(`${task} ${attempt}`)) faults.push(`attempt ${attempt} of ${task} was begun twice`);
      attempts.add(`${task} ${attempt}`);
    }
  });
  for (const { id, tasks } of instances) {
    const byId = new Map(tasks.map((task) => [task.id, task]));
    const byKey = new Map(tasks.map((task) => [task.key, task]));
    /** Where in the journal the recorded attempt of a task ended; for a foreach, where the last of its elements did. */
    const endOf = (taskId: string): number => {
      const task = byId.get(taskId);
      const elements = tasks.filter(({ key }) => key.startsWith(`${task?.key}[`));
      if (elements.length > 0) return Math.max(...elements.map((element) => endOf(element.id)));
      const { attempt, nonce } = (task?.result ?? {}) as { attempt?: number; nonce?: string }; // of journalTasks
      return ends.get(`${taskId} ${attempt} ${nonce}`) ?? Number.POSITIVE_INFINITY;
    };
    for (const task of tasks) {
      const places = begins.get(task.id) ?? [];
      const isContainer = tasks.some(({ key }) => key.startsWith(`${task.key}[`));
      if (task.status === 'success' && !isContainer) {
        const { attempt } = task.result as { attempt: number }; // of journalTasks
        if (endOf(task.id) === Number.POSITIVE_INFINITY) faults.push(`${id} ${task.key}: a result that nobody made`);
        if (attempt !== task.attempt)
          faults.push(`${id} ${task.key}: attempt ${task.attempt} has the result of ${attempt}`);
      }
      for (const place of places) {
        for (const before of task.previous) {
          if (endOf(before) > place) faults.push(`${id} ${task.key} began before ${byId.get(before)?.key} was done`);
        }
        // Once recorded, a result does not change: whoever saw it saw what is there now.
        for (const [key, seen] of Object.entries(journal[place].results)) {
          if (JSON.stringify(seen) !== JSON.stringify(byKey.get(key)?.result))
            faults.push(
              `${id} ${task.key} saw ${JSON.stringify(seen)} of ${key} instead of ${JSON.stringify(byKey.get(key)?.result)}`,
            );
        }
      }
    }
  }
  return faults;
}
