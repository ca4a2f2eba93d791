import { type Emitter, isAnybodyTold } from './emitter.service.ts';
import { type EmitClient, listListeners } from './emitter.store.ts';
import type { Occasion } from './event.ts';
import { contentOf, occasionOf, subjectOf } from './workflow-event.ts';
import type { InstanceChange, WorkflowSourceStore } from './workflow-source.store.ts';

const batchLimit = 500;

/** Follows what happens to workflow instances, and emits it. */
export function createWorkflowSource(deps: {
  store: WorkflowSourceStore;
  emitter: Emitter;
  publicUrl: string | undefined;
}) {
  const { store, emitter, publicUrl } = deps;

  async function tell(client: EmitClient, changes: InstanceChange[]): Promise<void> {
    if (changes.length === 0) return;
    const states = await store.loadStates(client, [...new Set(changes.map(subjectOf))]);
    const listeners = await listListeners(client);
    const wanted: { change: InstanceChange; occasion: Occasion }[] = [];
    const newStates = new Map<string, string>();
    for (const change of changes) {
      const subject = subjectOf(change);
      const occasion = occasionOf(change, newStates.get(subject) ?? states.get(subject));
      if (!occasion) continue;
      if (occasion.phase !== 'start') newStates.set(subject, change.status);
      if (isAnybodyTold(listeners, occasion)) wanted.push({ change, occasion });
    }
    if (newStates.size > 0) await store.saveStates(client, newStates);
    if (wanted.length === 0) return;
    const details = await store.loadDetails(client, [...new Set(wanted.map(({ change }) => change.instanceId))]);
    const events = wanted.map(({ change, occasion }) => ({
      ...occasion,
      content: contentOf(occasion, change, details.get(change.instanceId), publicUrl),
    }));
    await emitter.emitTo(client, listeners, events);
  }

  return {
    /** Up to the present. */
    async readOn(): Promise<void> {
      while (await store.readOn(batchLimit, tell));
    },
  };
}
