import type { Kysely, Selectable } from 'kysely';
import { sql } from 'kysely';
import { writeAudit } from '../db/audit.ts';
import { bumpRevision } from '../db/revisions.ts';
import type { Tables } from '../db/tables.ts';
import type { Actor } from '../identity/access.ts';

export type NewsItem = Selectable<Tables['news']>;
export type NewsInput = { title: string; message: string };

export type NewsStore = ReturnType<typeof createNewsStore>;

export function createNewsStore(db: Kysely<Tables>) {
  return {
    /** Newest first. With `unreadBy`, only what that user has not read, and that before the limit is applied. */
    list(options: { unreadBy?: string; limit?: number }): Promise<NewsItem[]> {
      const { unreadBy, limit } = options;
      let query = db.selectFrom('news').selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc');
      if (unreadBy !== undefined) {
        query = query.where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('news_reads')
                .select('news_id')
                .whereRef('news_reads.news_id', '=', 'news.id')
                .where('news_reads.user_id', '=', unreadBy),
            ),
          ),
        );
      }
      if (limit !== undefined) query = query.limit(limit);
      return query.execute();
    },

    find: (id: string): Promise<NewsItem | undefined> =>
      db.selectFrom('news').selectAll().where('id', '=', id).executeTakeFirst(),

    create: (input: NewsInput, actor: Actor): Promise<NewsItem> =>
      db.transaction().execute(async (db) => {
        const item = await db.insertInto('news').values(input).returningAll().executeTakeFirstOrThrow();
        await writeAudit(db, actor, {
          action: 'news.create',
          target: `news ${item.id}`,
          details: { title: item.title },
        });
        return item;
      }),

    update: (id: string, change: Partial<NewsInput>, actor: Actor): Promise<NewsItem | undefined> =>
      db.transaction().execute(async (db) => {
        const item = await db
          .updateTable('news')
          .set({ ...change, updated_at: sql<Date>`clock_timestamp()` })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst();
        if (!item) return undefined;
        await writeAudit(db, actor, { action: 'news.update', target: `news ${id}`, details: { title: item.title } });
        await bumpRevision(db, 'news');
        return item;
      }),

    delete: (id: string, actor: Actor): Promise<boolean> =>
      db.transaction().execute(async (db) => {
        const gone = await db.deleteFrom('news').where('id', '=', id).returning('title').executeTakeFirst();
        if (!gone) return false;
        await writeAudit(db, actor, { action: 'news.delete', target: `news ${id}`, details: { title: gone.title } });
        await bumpRevision(db, 'news');
        return true;
      }),

    // Items may be deleted at this very moment: the lock makes us wait for that, and then they are no longer selected. Without it the
    // statement would still see them and fail on the foreign key.
    async markRead(userId: string, newsId: string): Promise<void> {
      await sql`
        insert into news_reads (user_id, news_id)
        select ${userId}, id from news where id = ${newsId} for key share
        on conflict do nothing`.execute(db);
    },

    async markAllRead(userId: string): Promise<void> {
      await sql`
        insert into news_reads (user_id, news_id)
        select ${userId}, id from news
        where not exists (select from news_reads where news_reads.user_id = ${userId} and news_reads.news_id = news.id)
        for key share of news
        on conflict do nothing`.execute(db);
    },
  };
}
