import type { Clock } from '../clock.ts';
import { conflict, notFound } from '../errors.ts';
import type { Actor } from '../identity/access.ts';
import { type Budget, budgetOf, dayBefore } from './budget.ts';
import type { ObjectiveRow, ObjectivesStore } from './objectives.store.ts';

export type ObjectivesService = ReturnType<typeof createObjectivesService>;
export type ObjectiveWithBudget = ObjectiveRow & { budget: Budget };

/** What labels should reach, and how much of what may be missing is used up. */
export function createObjectivesService({ store, clock }: { store: ObjectivesStore; clock: Clock }) {
  /** The newest whole day is yesterday. */
  const yesterday = (): string => dayBefore(new Date(clock()).toISOString().slice(0, 10), 1);

  async function withBudgets(teamId: string, rows: ObjectiveRow[], lastDay: string): Promise<ObjectiveWithBudget[]> {
    const longest = Math.max(7, ...rows.map(({ window_days }) => window_days));
    const labels = rows.map(({ label }) => label);
    const figures = await store.listFigures(teamId, labels, dayBefore(lastDay, longest - 1), lastDay);
    return rows.map((row) => ({
      ...row,
      budget: budgetOf({ target: row.target, windowDays: row.window_days }, figures.get(row.label) ?? [], lastDay),
    }));
  }

  return {
    /** Budgets of the windows that end with `lastDay`, which is yesterday unless told. */
    list: async (teamId: string, lastDay = yesterday()): Promise<ObjectiveWithBudget[]> =>
      withBudgets(teamId, await store.list(teamId), lastDay),

    async write(
      teamId: string,
      label: string,
      { target, windowDays }: { target: number; windowDays: number },
      actor: Actor,
    ): Promise<ObjectiveWithBudget> {
      const row = await store.write(teamId, label, target, windowDays, actor);
      if (!row) throw conflict('The team has as many objectives as it may have; delete some first.');
      return (await withBudgets(teamId, [row], yesterday()))[0];
    },

    async delete(teamId: string, label: string, actor: Actor): Promise<void> {
      if (!(await store.delete(teamId, label, actor)))
        throw notFound('The label has no objective; GET …/qos/objectives lists them.');
    },
  };
}
