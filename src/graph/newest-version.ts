/**
 * Asks for the newest version of a team so that the answer is never older than the question, yet one query serves all who ask meanwhile:
 *
 *   ask a ─┬─ query 1 ───────┬─ query 2 ──────
 *          a                 b, c (came while 1 was under way, which may have looked too early for them)
 */
export function createNewestVersion(listVersions: (teamIds: string[]) => Promise<Map<string, number>>) {
  let next: { teamIds: Set<string>; answer: Promise<Map<string, number>> } | undefined;
  let running: Promise<unknown> = Promise.resolve();

  function join(): { teamIds: Set<string>; answer: Promise<Map<string, number>> } {
    if (next) return next;
    const teamIds = new Set<string>();
    const answer = running.then(() => {
      next = undefined; // whoever asks from here on is too late for this one
      return listVersions([...teamIds]);
    });
    running = answer.catch(() => undefined);
    next = { teamIds, answer };
    return next;
  }

  /** 0 where nothing was ever written. */
  return async (teamId: string): Promise<number> => {
    const { teamIds, answer } = join();
    teamIds.add(teamId);
    return (await answer).get(teamId) ?? 0;
  };
}
