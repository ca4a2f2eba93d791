import type { Answer } from './model/protocol.ts';
import type { GraphQuery } from './model/query.ts';

/** What all remembered answers may take together; then they are forgotten together. */
const limitBytes = 32 * 1024 * 1024;
/** What an entry takes besides its bytes, roughly. */
const entryBytes = 500;

/**
 * When something breaks, everybody asks the same. A question about the same version of the same graph has the same answer, so it is walked
 * once, also for those who ask while it is being walked. (`ts` is part of the question, and changes every second.)
 */
export function createRememberedAnswers(ask: (teamId: string, query: GraphQuery) => Promise<Answer>) {
  let answers = new Map<string, Promise<Answer>>();
  let bytes = 0;

  function remember(key: string, asked: Promise<Answer>): void {
    const target = answers;
    target.set(key, asked);
    bytes += entryBytes;
    asked.then(count, () => target.delete(key));
  }

  function count(answer: Answer): void {
    bytes += answer.bytes?.length ?? 0;
    if (bytes <= limitBytes) return;
    answers = new Map();
    bytes = 0;
  }

  return (teamId: string, version: number, query: GraphQuery): Promise<Answer> => {
    const key = `${teamId} ${version} ${JSON.stringify(query)}`;
    const known = answers.get(key);
    if (known) return known;
    const asked = ask(teamId, query);
    remember(key, asked);
    return asked;
  };
}
