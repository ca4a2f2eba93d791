import type { Base } from './base.ts';
import type { BaseNumbers } from './base-builder.ts';
import type { Batch } from './prepare.ts';
import type { Prepared } from './prepared.ts';
import type { GraphQuery } from './query.ts';

/** To a model thread. Ports keep order, so a question asked after a change sees the change. */
export type ToModel =
  | { type: 'base'; teamId: string; base: Base; payloads: Uint8Array[] }
  | { type: 'apply'; teamId: string; payload: Uint8Array }
  | { type: 'drop'; teamId: string }
  | { type: 'query'; id: number; teamId: string; query: GraphQuery }
  | { type: 'stream'; id: number; teamId: string; query: GraphQuery; credits: number }
  | { type: 'credit'; id: number }
  | { type: 'cancel'; id: number }
  | { type: 'prepare'; id: number; teamId: string; batch: Batch }
  | { type: 'prepareDelete'; id: number; teamId: string; label: string; name: string; detach: boolean }
  | { type: 'rollback'; teamId: string };

/** From a model thread. */
export type FromModel =
  | { type: 'answer'; id: number; answer: Answer }
  | { type: 'chunk'; id: number; version: number; chunk: Uint8Array }
  | { type: 'end'; id: number; version: number; isFound: boolean }
  | { type: 'prepared'; id: number; prepared: Prepared | 'has_relationships' | undefined }
  /** A change could not be applied: this thread's copy of the graph is of no use any more. */
  | { type: 'broken'; teamId: string; message: string }
  | { type: 'failed'; id: number; message: string };

/** `value` for labels and counts, `bytes` (JSON) for everything else. */
export type Answer = { version: number; isFound: boolean; value?: unknown; bytes?: Uint8Array };

export type SnapshotPlace = { path: string; teamId: string };

/** To the builder thread. */
export type ToBuilder =
  | { type: 'rows'; job: number; table: 'nodes' | 'relationships'; bytes: Uint8Array }
  | { type: 'finish'; job: number; numbers: BaseNumbers; snapshot: SnapshotPlace | undefined }
  | { type: 'abandon'; job: number }
  | { type: 'rebuild'; job: number; base: Base; payloads: Uint8Array[]; snapshot: SnapshotPlace | undefined }
  | { type: 'readSnapshot'; job: number; place: SnapshotPlace };

/** From the builder thread. */
export type FromBuilder =
  | { type: 'taken'; job: number }
  | { type: 'built'; job: number; base: Base }
  | { type: 'noSnapshot'; job: number; reason: string }
  /** All of a request is done, also what is done after its answer. */
  | { type: 'handled' }
  | { type: 'snapshotFailed'; path: string; message: string }
  | { type: 'failed'; job: number; message: string };
