/**
 * Asks for the newest version of a team so that the answer is never older than the question, yet one query serves all who ask meanwhile:
 *
 *   ask a ─┬─ query 1 ───────┬─ query 2 ──────
 *          a                 b, c (came while 1 was under way, which may have looked too early for them)
 */
export function createNewestVersion(listVersions: (teamIds: string[]) => Promise<Map<string, number>>) {
  let next: { teamIds: Set<string>; answer: Promise<Map<string, number>> } | undefined;
  let running: Promise<unknown> | undefined;

  /** From here on whoever asks is too late for this one. */
  function start(teamIds: string[]): Promise<Map<string, number>> {
    const answer = listVersions(teamIds);
    const isOver = () => {
      if (running === over) running = undefined;
    };
    const over = answer.then(isOver, isOver);
    running = over;
    return answer;
  }

  function join(teamId: string): Promise<Map<string, number>> {
    // In this very moment: the database works while the question is still on its way to a thread.
    if (!running) return start([teamId]);
    if (!next) {
      const teamIds = new Set<string>();
      const answer = running.then(() => {
        next = undefined;
        return start([...teamIds]);
      });
      next = { teamIds, answer };
    }
    next.teamIds.add(teamId);
    return next.answer;
  }

  /** 0 where nothing was ever written. */
  return async (teamId: string): Promise<number> => (await join(teamId)).get(teamId) ?? 0;
}
