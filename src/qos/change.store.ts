import type pg from 'pg';
import { type AuditEntry, auditStatement } from '../db/audit.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../db/errors.ts';
import { inTransaction } from '../db/transaction.ts';
import { conflict, notFound } from '../errors.ts';
import type { Actor } from '../identity/access.ts';

/** A change and its audit entry, together or not at all. Nothing changed: no entry. `what` is the word for people, such as "rule". */
export async function changeWithAudit<Row>(
  pool: pg.Pool,
  actor: Actor,
  what: string,
  run: (client: pg.ClientBase) => Promise<Row | undefined>,
  entryOf: (row: Row) => AuditEntry,
): Promise<Row | undefined> {
  try {
    return await inTransaction(pool, async (client) => {
      const row = await run(client);
      if (row !== undefined) await client.query(auditStatement(actor, entryOf(row)));
      return row;
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw conflict(`The team has a ${what} of this name already; choose another name.`);
    // What it refers to was deleted in this very moment.
    if (isForeignKeyViolation(error)) throw notFound('The team, or what this refers to, is no longer there.');
    throw error;
  }
}

export type Named = { id: string; name: string };

/** Changes of things that have a name of their own in the team: `check.create`, `rule.delete`. */
export const changesOf =
  (pool: pg.Pool, what: 'check' | 'rule') =>
  (teamId: string, actor: Actor, action: string, run: (client: pg.ClientBase) => Promise<Named | undefined>) =>
    changeWithAudit(pool, actor, what, run, ({ id, name }) => ({
      action: `${what}.${action}`,
      target: `${what} ${id}`,
      teamId,
      details: { name },
    }));
