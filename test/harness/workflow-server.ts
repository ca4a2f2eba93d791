import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A server that answers as the test says: for the command line alone, in the shapes of the contract. */
export type Handler = (call: Call) => Reply | Promise<Reply> | undefined | Promise<undefined>;
export type Call = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: unknown;
  response: ServerResponse;
};
/** Nothing: the handler writes to the response itself. */
type Reply = { status?: number; headers?: Record<string, string>; body: unknown };

export type WorkflowServer = {
  url: string;
  calls: Array<Pick<Call, 'method' | 'path' | 'query' | 'headers' | 'body'>>;
  close(): Promise<void>;
};

export async function serveWorkflows(routes: Record<string, Handler>): Promise<WorkflowServer> {
  const calls: WorkflowServer['calls'] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
    const method = request.method ?? '';
    const body = request.headers['content-type'] === undefined ? undefined : await json(request);
    const call = { method, path, query, headers: request.headers, body };
    calls.push(call);
    const handler = routes[`${method} ${path}`];
    const missing: Reply = { status: 404, body: { error: 'not_found', message: `There is no ${path}.` } };
    const reply = handler ? await handler({ ...call, response }) : missing;
    if (reply === undefined) return;
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
    response.end(JSON.stringify(reply.body));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Begins an answer of server-sent events; the function returned sends one. */
export function beginEvents(response: ServerResponse): (event: string, data: unknown, id?: string) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(': hello\n\n');
  return (event, data, id) =>
    void response.write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
