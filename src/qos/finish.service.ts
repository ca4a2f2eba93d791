import type { Clock } from '../clock.ts';
import type { NotificationEvent } from '../platform/notifications/event.ts';
import { addDays, toDay } from './day.ts';
import {
  type FinishClient,
  type FinishStore,
  findFormerValue,
  type LabelFigure,
  listCrossedNodes,
  lockRun,
  noteFinished,
  type Objective,
  sumUp,
} from './finish.store.ts';
import { crossedEvent, manyCrossedEvent } from './objective-events.ts';
import type { Run } from './runs.store.ts';

const maxNodesTold = 100;

export type FinishService = ReturnType<typeof createFinishService>;

/** The end of a run: figures of labels, and who is told, in one transaction. */
export function createFinishService(deps: {
  store: FinishStore;
  listObjectives: (teamId: string) => Promise<Objective[]>;
  emit: (client: FinishClient, events: NotificationEvent[]) => Promise<unknown>;
  /** Something may be there to be sent. */
  wakeSender: () => void;
  clock: Clock;
}) {
  const { store, clock } = deps;

  async function finish(run: Run): Promise<LabelFigure[]> {
    const now = new Date(clock());
    // Not within the transaction: the embedded database has one connection.
    const objectives = isNews(run, now) ? await deps.listObjectives(run.team_id) : [];
    const labels = await store.transaction(async (client) => {
      const { open } = await lockRun(client, run);
      if (open > 0) throw new Error(`${open} chunks are not done yet.`);
      const figures = await sumUp(client, run, Object.keys(run.config), now);
      await deps.emit(client, await eventsOf(client, run, objectives, figures, now));
      await noteFinished(client, run, now);
      return figures;
    });
    deps.wakeSender();
    return labels;
  }

  return { finish };
}

async function eventsOf(
  client: FinishClient,
  run: Run,
  objectives: Objective[],
  figures: LabelFigure[],
  now: Date,
): Promise<NotificationEvent[]> {
  const events: NotificationEvent[] = [];
  for (const objective of objectives) {
    const figure = figures.find(({ label }) => label === objective.label);
    if (!figure) continue;
    events.push(...(await labelEvents(client, run, objective, figure, now)));
    events.push(...(await nodeEvents(client, run, objective, now)));
  }
  return events;
}

/** Nobody is woken up for history: only yesterday and today are told. */
const isNews = ({ day, is_trial: isTrial }: Run, now: Date): boolean =>
  !isTrial && day >= addDays(toDay(now.getTime() / 1000), -1);

async function labelEvents(
  client: FinishClient,
  run: Run,
  { label, target }: Objective,
  { value }: LabelFigure,
  at: Date,
): Promise<NotificationEvent[]> {
  if (value === null) return [];
  const former = (await findFormerValue(client, run, label))?.value ?? null;
  // A first time is a change.
  if (former !== null && former < target === value < target) return [];
  return [crossedEvent({ teamId: run.team_id, label, node: null, day: run.day, target, value, former, at })];
}

async function nodeEvents(
  client: FinishClient,
  run: Run,
  objective: Objective,
  at: Date,
): Promise<NotificationEvent[]> {
  const { label, target } = objective;
  const { total, nodes } = await listCrossedNodes(client, run, objective, maxNodesTold);
  const shared = { teamId: run.team_id, label, day: run.day, target, at };
  const events = nodes.map(({ node, value, former }) => crossedEvent({ ...shared, node, value, former }));
  if (total > nodes.length) events.push(manyCrossedEvent({ ...shared, told: nodes.length, total }));
  return events;
}
