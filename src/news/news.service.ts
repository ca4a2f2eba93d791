import { notFound } from '../errors.ts';
import type { Actor } from '../identity/access.ts';
import { createRevisionCache, type Revisions } from '../revision-cache.ts';
import type { NewsInput, NewsItem, NewsStore } from './news.store.ts';

export type NewsService = ReturnType<typeof createNewsService>;

const cacheLimit = 10_000;

/**
 * News are read far more often than written, so single items and the fact that somebody has read them are remembered, until the
 * revision `news` says that an item was changed or deleted somewhere.
 */
export function createNewsService(deps: { store: NewsStore; revisions: Revisions }) {
  const { store, revisions } = deps;
  const items = createRevisionCache<NewsItem>({ topic: 'news', revisions, limit: cacheLimit });
  const reads = createRevisionCache<true>({ topic: 'news', revisions, limit: cacheLimit });

  function forget(): void {
    items.forget();
    reads.forget();
  }

  return {
    list: (options: { unreadBy?: string; limit?: number }): Promise<NewsItem[]> => store.list(options),

    /** An item that this user has read before, without a promise. Undefined only means: ask `read`. */
    recall(id: string, userId: string): NewsItem | undefined {
      const item = items.recall(id);
      return item && reads.recall(`${userId} ${id}`) ? item : undefined;
    },

    /** Reading an item marks it read for that user. */
    async read(id: string, userId: string): Promise<NewsItem> {
      const item = await items.get(id, () => store.find(id));
      if (!item) throw unknownItem();
      await reads.get(`${userId} ${id}`, async () => {
        await store.markRead(userId, id);
        return true;
      });
      return item;
    },

    markAllRead: (userId: string): Promise<void> => store.markAllRead(userId),

    create: (input: NewsInput, actor: Actor): Promise<NewsItem> => store.create(input, actor),

    async update(id: string, change: Partial<NewsInput>, actor: Actor): Promise<NewsItem> {
      const item = await store.update(id, change, actor);
      if (!item) throw unknownItem();
      forget();
      return item;
    },

    async delete(id: string, actor: Actor): Promise<void> {
      if (!(await store.delete(id, actor))) throw unknownItem();
      forget();
    },
  };
}

const unknownItem = () => notFound('There is no such news item; GET /v1/news lists them.');
