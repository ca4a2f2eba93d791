import { z } from 'zod';
import { notFound } from '../errors.ts';
import { actorOf, identityOf } from '../http/authentication.ts';
import { createRememberedJson } from '../http/remembered-json.ts';
import { emptyObject, isUuid, pathId, queryBoolean, queryInteger, toSecondsTimestamp } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import { newNewsItem, newsChange, newsItem, newsList } from './news.schemas.ts';
import type { NewsService } from './news.service.ts';
import type { NewsItem } from './news.store.ts';

export function registerNewsRoutes(app: Server, deps: { news: NewsService }): void {
  const { news } = deps;
  const tags = ['News'];
  const sendItem = createRememberedJson(toItem);
  const params = z.object({ news_id: pathId('News id') });

  app.get('/v1/news', {
    config: { access: { scope: 'Read' } },
    schema: {
      tags,
      summary: 'List news, newest first',
      querystring: z.object({
        unread: queryBoolean('Only what you have not read').optional(),
        limit: queryInteger('At most so many; all unless told').optional(),
      }),
      response: { 200: newsList },
    },
    handler: async (request) => {
      const { unread, limit } = request.query;
      const items = await news.list({ unreadBy: unread === true ? identityOf(request).userId : undefined, limit });
      return { news: items.map(toItem) };
    },
  });

  app.get('/v1/news/:news_id', {
    config: { access: { scope: 'Read' } },
    schema: { tags, summary: 'Read one item, which marks it read for you', params, response: { 200: newsItem } },
    handler: (request, reply) => {
      const [id, { userId }] = [newsIdOf(request.params.news_id), identityOf(request)];
      const known = news.recall(id, userId);
      const readAndSend = async () => sendItem(reply, await news.read(id, userId));
      return known ? void sendItem(reply, known) : readAndSend();
    },
  });

  app.delete('/v1/news', {
    config: { access: { scope: 'Write' } },
    schema: { tags, summary: 'Mark all news read for you', response: { 200: emptyObject } },
    handler: async (request) => {
      await news.markAllRead(identityOf(request).userId);
      return {};
    },
  });

  app.post('/v1/news', {
    config: { access: { scope: 'Admin' } },
    schema: { tags, summary: 'Publish an item', body: newNewsItem, response: { 201: newsItem } },
    handler: async (request, reply) => reply.code(201).send(toItem(await news.create(request.body, actorOf(request)))),
  });

  app.patch('/v1/news/:news_id', {
    config: { access: { scope: 'Admin' } },
    schema: { tags, summary: 'Change an item', params, body: newsChange, response: { 200: newsItem } },
    handler: async (request) =>
      toItem(await news.update(newsIdOf(request.params.news_id), request.body, actorOf(request))),
  });

  app.delete('/v1/news/:news_id', {
    config: { access: { scope: 'Admin' } },
    schema: { tags, summary: 'Delete an item for everybody', params, response: { 200: emptyObject } },
    handler: async (request) => {
      await news.delete(newsIdOf(request.params.news_id), actorOf(request));
      return {};
    },
  });
}

function newsIdOf(id: string): string {
  if (!isUuid(id)) throw notFound('There is no such news item; GET /v1/news lists them.');
  return id.toLowerCase();
}

function toItem(item: NewsItem) {
  return {
    id: item.id,
    createdAt: toSecondsTimestamp(item.created_at),
    updatedAt: toSecondsTimestamp(item.updated_at),
    title: item.title,
    message: item.message,
  };
}
