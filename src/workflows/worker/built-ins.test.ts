import { existsSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { finished, pause, startWorker, until } from './testing/worker-under-test.ts';

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A TCP server that listens has this kind of address.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What was asked comes back as JSON; a path that is a number is the status. */
const echo: RequestListener = (request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString();
  });
  request.on('end', () => {
    const path = request.url ?? '/';
    const target = /^\/to(.*)$/.exec(path)?.[1];
    const { method, headers } = request;
    if (target !== undefined) response.writeHead(302, { location: target || '/to' }).end();
    else if (path === '/text') response.writeHead(200, { 'content-type': 'text/plain' }).end('{"a":1}');
    else if (path === '/huge') response.end('x'.repeat(1_100_000));
    else if (path !== '/never') {
      response.writeHead(Number(path.slice(1)) || 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ method, path, body, type: headers['content-type'], auth: headers.authorization }));
    }
  });
};

describe('http', () => {
  test('the answer is the result: status, headers, body', async () => {
    const url = await listen(echo);
    const { server } = await startWorker({});
    const [get, post, text, forced, moved] = await finished(
      server,
      server.add('http', { with: { url: `${url}/a`, headers: { Authorization: 'Basic x' } } }),
      server.add('http', { with: { url, json: { b: 2 }, method: 'put' } }),
      server.add('http', { with: { url: `${url}/text` } }),
      server.add('http', { with: { url: `${url}/text`, response: 'json' } }),
      server.add('http', { with: { url: `${url}/to/end`, json: 1 } }),
    );
    expect(get.result).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(get.result).toMatchObject({ body: { method: 'GET', path: '/a', auth: 'Basic x' } });
    expect(post.result).toMatchObject({ body: { method: 'PUT', body: '{"b":2}', type: 'application/json' } });
    expect(text.result).toMatchObject({ body: '{"a":1}' });
    expect(forced.result).toMatchObject({ body: { a: 1 } });
    expect(moved.result).toMatchObject({ body: { method: 'GET', path: '/end', body: '' } });
  });

  test('a status that is not expected fails; only what may pass may be tried again', async () => {
    const url = await listen(echo);
    const { server } = await startWorker({});
    const add = (path: string, more: object = {}) => server.add('http', { with: { url: url + path, ...more } });
    const rows = await finished(
      server,
      ...['/404', '/500', '/429', '/huge', '/to'].map((path) => add(path)),
      add('/404', { expect: [200, '400-410'] }),
      add('/never', { timeout: 0.2 }),
      server.add('http', { with: { url: 'http://127.0.0.1:1/' } }),
      server.add('http', { with: { url: 'ftp://x', colour: 1 } }),
    );
    expect(rows.map((row) => row.error?.message ?? row.result)).toEqual([
      expect.stringContaining('/404 answered 404'),
      expect.stringContaining('/500 answered 500'),
      expect.stringContaining('/429 answered 429'),
      expect.stringContaining('is larger than 1048576 bytes'),
      expect.stringContaining('redirects more than 5 times'),
      expect.objectContaining({ status: 404 }),
      expect.stringContaining('did not answer within 0.2 seconds'),
      expect.stringContaining('cannot be reached'),
      expect.stringContaining('The arguments of http cannot be used'),
    ]);
    expect(rows.map((row) => row.retryable)).toEqual([false, true, true, false, false, undefined, true, true, false]);
  });

  test('addresses that are not public are refused unless the operator allows them, by name and in the URL', async () => {
    const url = await listen(echo);
    const { server } = await startWorker({}, { outboundAllow: [] });
    const { port } = new URL(url);
    const urls = [
      url,
      `http://localhost:${port}`,
      `http://[::ffff:127.0.0.1]:${port}`,
      'http://169.254.169.254/',
      'http://2130706433/',
    ];
    const rows = await finished(server, ...urls.map((one) => server.add('http', { with: { url: one } })));
    expect(rows.map((row) => row.error?.message)).toEqual(
      urls.map(() => expect.stringMatching(/was not called.*not a public address/)),
    );
    expect(rows.every((row) => row.retryable === false)).toBe(true);
  });

  test('a redirect leads to no address that could not have been asked for', async () => {
    const url = await listen(echo);
    const { server } = await startWorker({}, { outboundAllow: ['127.0.0.1'] });
    const target = url.replace('127.0.0.1', '127.0.0.2');
    const [row] = await finished(server, server.add('http', { with: { url: `${url}/to${target}/` } }));
    expect(row.error?.message).toBe(
      `${target}/ was not called: 127.0.0.2 is not a public address; the operator can allow it with FAULTLINE_OUTBOUND_ALLOW.`,
    );
  });
});

describe('shell', () => {
  test('is not offered unless allowed', async () => {
    const { server } = await startWorker({});
    await until(() => server.claims.length > 0);
    expect(server.claims[0]).toMatchObject({ tasks: ['http'] });
  });

  test('gives its output as result and as log lines, and fails with its exit code', async () => {
    const { server, home } = await startWorker({ 'data/in.txt': 'from the home' }, { allowShell: true });
    const [good, argv, bad, missing] = await finished(
      server,
      server.add('shell', {
        with: { command: 'cat; cat in.txt; echo $COLOUR >&2', cwd: 'data', input: 'hello\n', env: { COLOUR: 'red' } },
      }),
      server.add('shell', { with: { argv: ['printf', '%s', '$HOME'] } }),
      server.add('shell', { with: { command: 'echo no luck >&2; exit 3' } }),
      server.add('shell', { with: { argv: ['no-such-program'] } }),
    );
    expect(good.result).toEqual({ exit_code: 0, stdout: 'hello\nfrom the home', stderr: 'red\n' });
    expect(good.lines.toSorted()).toEqual(['from the home', 'hello', 'red']);
    expect(argv.result).toMatchObject({ stdout: '$HOME' });
    expect(bad.error?.message).toBe('exit code 3: no luck');
    expect(missing.error?.message).toContain('no-such-program cannot be started');
    expect(existsSync(join(home, 'data'))).toBe(true);
  });

  test('all of its processes end with its time-out', async () => {
    const { server, home } = await startWorker({ 'a.txt': '' }, { allowShell: true, abandonSeconds: 3 });
    const command = '(sleep 1.5; touch late) & sleep 60';
    const [row] = await finished(server, server.add('shell', { with: { command }, timeout_seconds: 0.3 }));
    expect(row.error?.message).toContain('took longer than its time-out');
    await pause(1800);
    expect(existsSync(join(home, 'late'))).toBe(false);
  });

  test('all of its processes end when a task beside it ends the process of both', async () => {
    const { server, home } = await startWorker(
      { 'tasks/a.js': 'export const DIE = () => process.abort();' },
      { allowShell: true },
    );
    const command = 'if [ -e begun ]; then echo done; else touch begun; sleep 4; touch late; fi';
    const shell = server.add('shell', { with: { command } });
    await until(() => existsSync(join(home, 'begun')));
    const late = pause(5000);
    const [row, died] = await finished(server, shell, server.add('DIE'));
    expect(row.result).toMatchObject({ stdout: 'done\n' });
    expect(died.error?.message).toContain('crashed its process');
    await late;
    expect(existsSync(join(home, 'late'))).toBe(false);
  });
});
