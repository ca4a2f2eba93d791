import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { notFound } from '../errors.ts';
import { isUuid, pathId, queryBoolean, queryInteger, queryText } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import { type EventsService, matches, type WorkflowEvent } from './events.service.ts';
import type { InstancesStore } from './instances.store.ts';
import type { LogLine, LogsStore } from './logs.store.ts';
import { instanceIdOf } from './workflows.routes.ts';
import { logPage } from './workflows.schemas.ts';

const tags = ['Workflows'];
const keepAliveMs = 15_000;
/** A reader that is further behind than this is cut off; it comes back with the last id it saw. */
const maxBufferedBytes = 4 * 1024 * 1024;
const linesAtOnce = 1000;
const followEveryMs = 500;

export function registerEventRoutes(
  app: Server,
  deps: { events: EventsService; logs: LogsStore; instances: InstancesStore },
): void {
  const { events, logs, instances } = deps;
  const open = new Set<() => void>();
  app.addHook('preClose', (done) => {
    for (const close of open) close();
    done();
  });

  app.get('/api/events', {
    config: { access: { scope: 'Read' } },
    schema: {
      tags,
      summary: 'State changes as server-sent events',
      description:
        'Events `instance`, `task` and `custom`. Send Last-Event-ID (or ?after) to get all that happened since; `reset` says that this ' +
        'place is no longer kept, and that the state should be read again.',
      querystring: z.object({
        instance: queryText('Only of this instance').optional(),
        project: queryText('Of instances, only those of this project').optional(),
        name: queryText('Of instances, only those of this workflow').optional(),
        after: queryText('Instead of Last-Event-ID').optional(),
      }),
      response: {
        200: { description: 'A stream that does not end', content: { 'text/event-stream': { schema: z.string() } } },
      },
    },
    handler: async (request, reply) => {
      const { instance: instanceId, project, name, after } = request.query;
      const header = request.headers['last-event-id'];
      const stream = openStream(request, reply, open);
      const subscriber = {
        push(news: WorkflowEvent[]): void {
          for (const one of news) {
            if (matches(one, { instanceId: instanceId?.toLowerCase(), project, name }))
              stream.send(one.event, one.data, one.id);
          }
        },
        end: () => stream.close(),
      };
      stream.onClose(() => events.unsubscribe(subscriber));
      const place = after ?? (typeof header === 'string' && header !== '' ? header : undefined);
      if ((await events.subscribe(subscriber, place)) === 'reset') stream.send('reset', {});
      if (stream.isClosed()) events.unsubscribe(subscriber);
    },
  });

  app.get('/api/workflows/:id/tasks/:task/logs', {
    config: { access: { scope: 'Read' } },
    schema: {
      tags,
      summary: 'What a task wrote',
      description: `At most ${linesAtOnce} lines; \`next\` leads on. With follow they come as server-sent events until the task has ended; Last-Event-ID stands for after.`,
      params: z.object({ id: pathId('Instance id'), task: pathId('Task id') }),
      querystring: z.object({
        after: queryInteger('Only lines after this one').optional(),
        follow: queryBoolean('Stay and send what is written').optional(),
      }),
      response: { 200: logPage },
    },
    handler: async (request, reply) => {
      const [id, taskId] = [instanceIdOf(request.params.id), request.params.task];
      const task = isUuid(taskId) ? await instances.findTask(id, taskId) : undefined;
      if (!task) throw notFound('There is no such task in this instance.');
      const { follow = false } = request.query;
      // A browser that lost the connection comes back with the last line it saw.
      const seen = /^\d{1,15}$/.exec(String(request.headers['last-event-id']))?.[0] ?? 0;
      const { after = Number(seen) } = request.query;
      if (!follow) {
        const lines = (await logs.list(taskId, String(after), linesAtOnce)).map(wireLine);
        return { lines, next: lines.at(-1)?.id ?? after };
      }
      const stream = openStream(request, reply, open);
      void followLog(stream, id, taskId, after).catch(() => stream.close());
      return reply;
    },
  });

  async function followLog(stream: Stream, id: string, taskId: string, after: number): Promise<void> {
    let last = String(after);
    while (!stream.isClosed()) {
      // Asked before the lines are read: what was written before the end is in them.
      const task = await instances.findTask(id, taskId);
      const lines = await logs.list(taskId, last, linesAtOnce);
      for (const line of lines) stream.send('line', wireLine(line), line.id);
      last = lines.at(-1)?.id ?? last;
      const isOver = !task || ['success', 'error', 'canceled'].includes(task.state);
      if (lines.length === linesAtOnce) continue;
      if (isOver) {
        stream.send('end', { status: task?.state ?? 'deleted' });
        stream.close();
      } else await new Promise((resolve) => setTimeout(resolve, followEveryMs));
    }
  }
}

const wireLine = ({ id, attempt, at, line }: LogLine) => ({ id: Number(id), attempt, at: at.toISOString(), line });

type Stream = ReturnType<typeof openStream>;

/** Server-sent events on a reply. */
function openStream(request: FastifyRequest, reply: FastifyReply, open: Set<() => void>) {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  raw.write(': hello\n\n');
  request.raw.socket.setTimeout(0);
  const closers: (() => void)[] = [];
  let isClosed = false;
  const keepAlive = setInterval(() => raw.write(':\n\n'), keepAliveMs).unref();
  const finish = (): void => {
    if (isClosed) return;
    isClosed = true;
    clearInterval(keepAlive);
    open.delete(close);
    for (const closer of closers) closer();
  };
  const close = (): void => {
    raw.end();
    // A reader that is slow to hang up would keep the server from stopping.
    raw.socket?.destroySoon();
    finish();
  };
  open.add(close);
  raw.once('close', finish);
  return {
    send(event: string, data: unknown, id?: string): void {
      if (isClosed) return;
      raw.write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      if (raw.writableLength > maxBufferedBytes) raw.destroy();
    },
    close,
    isClosed: () => isClosed,
    onClose: (closer: () => void) => void closers.push(closer),
  };
}
