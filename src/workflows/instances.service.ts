import { createBatches } from '../batches.ts';
import { badRequest, conflict, notFound, unavailable } from '../errors.ts';
import type { Actor } from '../identity/access.ts';
import type { Contexts } from './contexts.service.ts';
import type { Created, Queryable, StartEntry } from './create-instances.store.ts';
import type { Definitions } from './definitions/definitions.service.ts';
import type { Dispatch } from './dispatch.service.ts';
import type { EndedInstance, EngineStore } from './engine.store.ts';
import {
  approveTask,
  cancelInstance,
  finishInstance,
  listUnfinished,
  lockWorkflow,
  removeInstance,
  takeOverResults,
} from './instance-changes.store.ts';
import type { Detail, InstanceRow, InstancesStore } from './instances.store.ts';
import { heldInstance, type InstanceRequest, newInstance, queueOf, serviceQueue } from './new-instance.ts';
import type { JsonObject, Plan } from './plan.ts';
import type { QueueNames } from './queue-names.service.ts';

export type StartRequest = {
  fullname: string;
  payload: JsonObject;
  comment?: string | undefined;
  /** As the client sent it. */
  idempotencyKey?: string | undefined;
  actor: Actor;
};
type Start = Omit<InstanceRequest, 'plan'> & { plan: Plan };

export type InstancesService = ReturnType<typeof createInstancesService>;

/** What people do with instances: start, cancel, run again, approve, delete. */
export function createInstancesService(deps: {
  store: EngineStore;
  instances: InstancesStore;
  contexts: Contexts;
  definitions: Definitions;
  dispatch: Dispatch;
  queueNames: QueueNames;
  newId: () => string;
  /** Something is ready that the service itself looks at. */
  wakeSteps: () => void;
  onEnded: (ended: EndedInstance[]) => void;
  onChange: () => void;
}) {
  const { store, instances, contexts, definitions, dispatch, newId } = deps;
  const savedVersions = new Set<string>();
  const creations = createBatches<StartEntry, Created>((entries) => store.create(entries), {
    maxItems: 200,
    maxWaiting: 10_000,
  });

  /** Whatever an instance refers to is there before it is. */
  async function prepare(plan: Plan): Promise<void> {
    if (!savedVersions.has(plan.version)) {
      await store.saveVersion(plan);
      contexts.rememberPlan(plan);
      savedVersions.add(plan.version);
    }
    await deps.queueNames.add([...plan.items, ...Object.values(plan.hooks)].map(({ queue }) => queue));
  }

  function wake(plan: Plan): void {
    if (plan.items.some((item) => queueOf(item) === serviceQueue)) deps.wakeSteps();
    dispatch.wake();
    deps.onChange();
  }

  /** Writes one instance, by itself or together with others that arrive at the same time. */
  async function create(start: Start, actor: Actor): Promise<Created> {
    const { plan } = start;
    await prepare(plan);
    if (plan.overlap !== 'allow' && start.parentTaskId === null) {
      const ended: EndedInstance[] = [];
      const created = await store.transaction((client) => createAlone(client, start, actor, ended));
      deps.onEnded(ended);
      return settle(created, start);
    }
    if (creations.isFull()) throw unavailable('Too many instances are being started; try again in a moment.');
    const instance = newInstance(start, newId);
    const created = await creations.add({ instance, actor });
    return settle(created, start);
  }

  function settle(created: Created, { plan, payload }: Start): Created {
    if (created.isNew) {
      contexts.add(created.id, plan, payload);
      wake(plan);
    }
    return created;
  }

  /** Where it matters what else of the same workflow runs. What it replaces is added to `ended`. */
  async function createAlone(client: Queryable, start: Start, actor: Actor, ended: EndedInstance[]): Promise<Created> {
    const { plan, idempotencyKey } = start;
    await lockWorkflow(client, plan.fullname);
    if (idempotencyKey !== null) {
      const known = (await store.findByKeys([idempotencyKey], client)).get(idempotencyKey);
      if (known) return known;
    }
    const active = await listUnfinished(client, plan.project, plan.name);
    let instance = newInstance(start, newId);
    if (active.length > 0 && plan.overlap === 'skip') {
      throw conflict(
        `An instance of ${plan.fullname} runs already, ${active[0]}, and its definition says overlap: skip; wait or cancel that one.`,
      );
    }
    if (active.length > 0 && plan.overlap === 'queue') instance = heldInstance(instance);
    if (plan.overlap === 'replace') {
      for (const id of active) ended.push(...(await cancelInstance(client, id, actor)));
    }
    const [created] = await store.create([{ instance, actor }], client);
    return created;
  }

  function definitionOf(fullname: string) {
    const definition = definitions.find(fullname);
    if (!definition) throw notFound(`There is no workflow ${fullname}; GET /api/definitions lists what there is.`);
    return definition;
  }

  async function sourceOf(id: string) {
    const source = await instances.findSource(id);
    if (!source) throw noInstance();
    return source;
  }

  async function start(request: StartRequest): Promise<Created> {
    const { plan } = definitionOf(request.fullname);
    const complaints = definitions.validatePayload(request.fullname, request.payload);
    if (complaints.length > 0) {
      throw badRequest(`The payload does not fit the schema of ${request.fullname}.`, complaints);
    }
    return create(
      {
        ...plain,
        plan,
        payload: request.payload,
        comment: request.comment ?? null,
        // Keys of one user mean nothing to another.
        idempotencyKey:
          request.idempotencyKey === undefined ? null : `user:${request.actor.userId}:${request.idempotencyKey}`,
      },
      request.actor,
    );
  }

  /** A tick of the schedule, in the transaction that moves the schedule on; the plan is prepared. Undefined: skipped, because of its overlap policy. */
  async function startScheduled(
    client: Queryable,
    plan: Plan,
    payload: JsonObject,
    actor: Actor,
  ): Promise<Created | undefined> {
    const one = { ...plain, plan, payload, isPeriodic: true };
    if (plan.overlap === 'allow') {
      const [created] = await store.create([{ instance: newInstance(one, newId), actor }], client);
      return created;
    }
    return createAlone(client, one, actor, []).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'conflict') return undefined;
      throw error;
    });
  }

  async function startChild(
    call: { fullname: string; payload: JsonObject; parentTaskId: string },
    actor: Actor,
  ): Promise<string> {
    const { plan } = definitionOf(call.fullname);
    const complaints = definitions.validatePayload(call.fullname, call.payload);
    if (complaints.length > 0) {
      throw badRequest(
        `The payload does not fit the schema of ${call.fullname}: ${complaints[0].path} ${complaints[0].message}`,
      );
    }
    const { parentTaskId, payload } = call;
    const created = await create(
      { ...plain, plan, payload, parentTaskId, idempotencyKey: `task:${parentTaskId}` },
      actor,
    );
    return created.id;
  }

  /** §4.4: the former payload and nothing else, so a definition edited since takes effect. */
  async function relaunch(id: string, actor: Actor): Promise<Created> {
    const { project, name, payload } = await sourceOf(id);
    const { plan } = definitionOf(`${project}.${name}`);
    return create({ ...plain, plan, payload, relaunchedFrom: id }, actor);
  }

  /** What had succeeded stays, the rest runs: with the definition that the instance had, because its tasks are what is kept. */
  async function retry(id: string, actor: Actor): Promise<Created> {
    const { version, payload, isFinished, status } = await sourceOf(id);
    if (!isFinished) throw conflict('It has not ended yet; cancel it first, or wait.');
    if (status === 'success')
      throw conflict('It succeeded: nothing of it is left to run. Relaunch runs all of it again.');
    const plan = (await contexts.plansOf([version])).get(version);
    if (!plan) throw new Error(`The definition ${version} is gone.`);
    await prepare(plan);
    const succeeded = new Set(await instances.listSucceeded(id));
    const instance = newInstance({ ...plain, plan, payload, relaunchedFrom: id, resumes: id, succeeded }, newId);
    let ended: EndedInstance[] = [];
    const created = await store.transaction(async (client) => {
      const [one] = await store.create([{ instance, actor }], client);
      await takeOverResults(client, id, one.id);
      // It was canceled when all of it was done.
      if (instance.openSinks === 0) ended = await finishInstance(client, one.id);
      return one;
    });
    deps.onEnded(ended);
    wake(plan);
    return created;
  }

  async function cancel(id: string, actor: Actor): Promise<void> {
    const source = await sourceOf(id);
    if (source.isFinished) throw conflict(`It has ended already, as ${source.status}.`);
    const children = await instances.listChildren(id);
    deps.onEnded(await store.transaction((client) => cancelInstance(client, id, actor)));
    for (const { worker, ids } of await instances.listAskedToStop(id)) dispatch.tellCanceled(worker, ids);
    for (const child of children) await cancel(child, actor).catch(ignoreConflict);
    deps.onChange();
  }

  async function approve(id: string, taskId: string, comment: string | undefined, actor: Actor): Promise<void> {
    const task = await instances.findTask(id, taskId);
    if (!task) throw notFound('There is no such task in this instance.');
    const approved = {
      by: actor.userName,
      at: new Date().toISOString(),
      ...(comment === undefined ? {} : { comment }),
    };
    const tryOnce = () => store.transaction((client) => approveTask(client, id, taskId, approved, actor));
    let isApproved = await tryOnce();
    // It is shown as in progress a moment before it waits: the service is looking at it, or has just looked.
    for (let times = 0; !isApproved && times < 50; times++) {
      const now = await instances.findTask(id, taskId);
      if (now?.run !== 'approval' || !['ready', 'progress', 'parked'].includes(now.state)) break;
      if (now.state !== 'parked') await new Promise((resolve) => setTimeout(resolve, 20));
      isApproved = await tryOnce();
    }
    if (!isApproved) throw conflict(`The task ${task.key} does not wait for an approval (now).`);
    deps.wakeSteps();
  }

  async function remove(id: string, actor: Actor): Promise<void> {
    await sourceOf(id);
    const isRemoved = await store.transaction((client) => removeInstance(client, id, actor));
    if (!isRemoved) throw conflict('It, or a hook of it, has not ended yet; cancel it first.');
    contexts.forget(id);
  }

  async function get(id: string): Promise<InstanceRow> {
    const row = await instances.find(id);
    if (!row) throw noInstance();
    return row;
  }

  async function getWithTasks(id: string): Promise<InstanceRow & Detail> {
    const row = await instances.findWithTasks(id);
    if (!row) throw noInstance();
    return row;
  }

  return {
    prepare,
    start,
    startScheduled,
    startChild,
    relaunch,
    retry,
    cancel,
    approve,
    remove,
    get,
    getWithTasks,
    wake,
    idle: () => creations.idle(),
  };
}

const plain = {
  isPeriodic: false,
  comment: null,
  relaunchedFrom: null,
  resumes: null,
  parentTaskId: null,
  idempotencyKey: null,
};

const noInstance = () => notFound('There is no such workflow instance.');

function ignoreConflict(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'conflict')) throw error;
}
