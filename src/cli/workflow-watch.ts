import type { ClientConfig } from '../client-config.ts';
import { createClient, ServerRefusal } from './client.ts';
import { type ClientOptions, clientConfig } from './client-options.ts';
import type { Screen } from './impact-text.ts';
import { print } from './output.ts';
import { type InstanceDetail, instanceDetail, type Status } from './workflow-answers.ts';
import { drawTasks, type Layout, layOut } from './workflow-draw.ts';
import { followInstance } from './workflow-follow.ts';
import { resolveInstance } from './workflow-lookup.ts';
import { createLiveScreen } from './workflow-screen.ts';
import type { Change } from './workflow-state.ts';
import { openEvents } from './workflow-stream.ts';
import { describeChange, describeEnd, headOf } from './workflow-text.ts';

const redrawMs = 200;

export async function watch(reference: string, options: ClientOptions): Promise<void> {
  const config = clientConfig(options);
  await watchInstance(config, await resolveInstance(createClient(config), reference), options);
}

/** Until the instance has ended. An end other than the wanted one is thrown, for the exit code. */
export async function watchInstance(
  config: ClientConfig,
  id: string,
  options: { json?: boolean },
  wanted: Status = 'success',
): Promise<void> {
  const client = createClient(config);
  const view = options.json ? jsonView() : process.stdout.isTTY ? liveView() : lineView();
  const ended = await followInstance(
    {
      read: async () => (await client.get(`/api/workflows/${id}`, instanceDetail)).value,
      openEvents: (options) => openEvents(config, `/api/events?instance=${id}`, options),
    },
    { onChange: view.show },
  ).finally(() => view.stop());
  if (ended.status !== wanted) throw new ServerRefusal(describeEnd(ended));
  if (!options.json) print(describeEnd(ended));
}

type View = { show(state: InstanceDetail, changes: Change[]): void; stop(): void };

/** A line of JSON for each change. */
const jsonView = (): View => ({
  show: ({ id }, changes) => {
    for (const { kind, ...rest } of changes) print(JSON.stringify({ event: kind, instance_id: id, ...rest }));
  },
  stop: () => {},
});

const lineView = (): View => ({
  show: (state, changes) => {
    for (const change of changes) print(describeChange(state, change));
  },
  stop: () => {},
});

/** The graph, drawn anew in place when something changed, and because time passes. */
function liveView(): View {
  const { stdout } = process;
  const live = createLiveScreen(stdout);
  let state: InstanceDetail | undefined;
  let layout: Layout | undefined;
  const screen = (): Screen => ({ isStyled: stdout.hasColors(), width: stdout.columns - 1 });
  /** The head, and of the graph as much as there is room for. */
  const lines = (height?: number): string[] => {
    if (state === undefined || layout === undefined) return [];
    const nowMs = Date.now();
    const head = [...headOf(state, screen(), nowMs), ''];
    const room = height === undefined ? undefined : Math.max(1, height - head.length);
    return [...head, ...drawTasks(layout, state.tasks, { screen: screen(), nowMs, height: room })];
  };
  const draw = () => live.draw(lines(stdout.rows - 1));
  const timer = setInterval(draw, redrawMs);
  return {
    show(next) {
      const isFirst = state === undefined;
      const isSame = state !== undefined && sameTasks(state, next);
      state = next;
      if (!isSame || layout === undefined) layout = layOut(next.tasks);
      if (isFirst) draw();
    },
    stop() {
      clearInterval(timer);
      live.finish(lines());
    },
  };
}

/** The same in the same order: what is drawn where stays as it is. */
const sameTasks = (one: InstanceDetail, other: InstanceDetail): boolean =>
  one.tasks.length === other.tasks.length && one.tasks.every((task, index) => task.id === other.tasks[index]?.id);
