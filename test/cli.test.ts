import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminToken, type Environment, type RunningServer, runCommand, startService } from './harness/command.ts';
import { newTestDirectory } from './harness/database.ts';

let server: RunningServer;
let directory: string;
let asAdmin: Environment;

beforeAll(async () => {
  directory = await newTestDirectory();
  server = await startService({ FAULTLINE_DATA_DIR: join(directory, 'data') });
  asAdmin = { FAULTLINE_URL: server.url, FAULTLINE_TOKEN: adminToken };
});
afterAll(() => server?.stop());

const run = (line: string, env: Environment = asAdmin) => runCommand(line.split(' '), { env });

const login = (home: string, args: string[], input?: string) =>
  runCommand(['login', '--url', server.url, ...args], { env: { HOME: home }, input });

describe('user, team and token', () => {
  test('a user is created, listed by name, disabled and enabled', async () => {
    const created = await run('user create ann');
    expect(created).toMatchObject({ code: 0, stderr: '' });
    expect(created.stdout).toMatch(/^Created ann \([0-9a-f-]{36}\), an ordinary user\.\n$/);
    expect((await run('user list')).stdout).toMatch(/^NAME +CREATED \(UTC\) +ID\nadmin .*\nann /);
    expect((await run('user disable ann')).stdout).toMatch(/, disabled\.\n$/);
    expect((await run('user enable ann')).stdout).not.toMatch(/disabled/);
    const promoted = await run('user admin ann --json');
    expect(JSON.parse(promoted.stdout)).toMatchObject({ name: 'ann', admin: true, disabled: false });
    expect(JSON.parse((await run('user admin ann --remove --json')).stdout)).toMatchObject({ admin: false });
  });

  test('a quiet token is alone on standard output, works, and no longer does once it is revoked by its name', async () => {
    await run('user create ben');
    const created = await run('token create --user ben --scopes read,Write --name ci --expires 30d --quiet');
    expect(created.stdout).toMatch(/^flt_\S+\n$/);
    const asBen = { FAULTLINE_URL: server.url, FAULTLINE_TOKEN: created.stdout.trim() };
    const { tokens } = JSON.parse((await run('token list --json', asBen)).stdout);
    expect(tokens).toMatchObject([{ name: 'ci', scopes: ['Read', 'Write'] }]);
    expect(Date.parse(tokens[0].expires_at) - Date.parse(tokens[0].created_at)).toBeCloseTo(30 * 86_400_000, -5);
    expect((await run('token revoke ci --user ben')).stdout).toMatch(/^Revoked the token "ci"/);
    const refused = await run('token list', asBen);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/valid token.*FAULTLINE_TOKEN/);
  });

  test('of two tokens with one name, the id says which', async () => {
    await run('token create --name twin');
    const second = JSON.parse((await run('token create --name twin --json')).stdout);
    const ambiguous = await run('token revoke twin');
    expect(ambiguous.code).toBe(1);
    expect(ambiguous.stderr).toContain(second.id);
    expect((await run(`token revoke ${second.id}`)).code).toBe(0);
    expect((await run('token revoke twin')).code).toBe(0);
  });

  test('grants are shown, set one by one, taken back and replaced', async () => {
    await Promise.all([run('user create cleo'), run('user create dan'), run('team create shop')]);
    expect((await run('team grants shop')).stdout).toBe('Nobody but administrators.\n');
    await run('team grants shop --set cleo=editor --set dan=member');
    expect((await run('team grants shop')).stdout).toBe('USER  ROLE\ncleo  editor\ndan   member\n');
    const after = await run('team grants shop --set cleo=manager --remove dan --json');
    expect(JSON.parse(after.stdout)).toEqual({ grants: [{ user: 'cleo', role: 'manager' }] });
    const replaced = await run('team grants shop --replace --set dan=editor --json');
    expect(JSON.parse(replaced.stdout)).toEqual({ grants: [{ user: 'dan', role: 'editor' }] });
  });

  test('a team is renamed, found by its id, and deleted only on a clear yes', async () => {
    const { id } = JSON.parse((await run('team create old --json')).stdout);
    await run('team rename old new');
    expect((await run('team list')).stdout).toMatch(/^new /m);
    const unconfirmed = await run(`team delete ${id}`);
    expect(unconfirmed).toMatchObject({ code: 2, stdout: '' });
    expect(unconfirmed.stderr).toContain('--yes');
    expect(await run(`team delete ${id} --yes`)).toMatchObject({ code: 0, stdout: 'Deleted the team new.\n' });
    expect((await run('team list --json')).stdout).not.toContain(id);
  });
});

describe('refusals end in one message and the exit code 1', () => {
  test.each([
    ['404', 'user disable nobody', /There is no user "nobody"/],
    ['404', 'team grants nowhere', /There is no team "nowhere"/],
    ['409', 'user create admin', /"admin" exists already/],
    ['400', `user create ${'x'.repeat(300)}`, /1 to 255 characters/],
    ['400', 'token create --name late --expires 2020-01-01', /past/],
  ])('%s: faultline %s', async (_status, line, message) => {
    const outcome = await run(line);
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(outcome.stderr).toMatch(message);
    expect(outcome.stderr).toMatch(/^faultline: .*\n$/);
  });

  test('403: a token without the scope', async () => {
    const token = (await run('token create --name reader --quiet')).stdout.trim();
    const outcome = await run('user create eve', { FAULTLINE_URL: server.url, FAULTLINE_TOKEN: token });
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(outcome.stderr).toMatch(/scope Admin/);
  });
});

describe('what could not even begin ends with the exit code 2', () => {
  test.each([
    ['an unknown command', 'user lst', /unknown command 'lst'/],
    ['a missing argument', 'user create', /missing required argument 'name'/],
    ['a missing option', 'token create', /--name/],
    ['an unknown scope', 'token create --name x --scopes Root', /"Root" is no scope; there are Read, Write/],
    ['an unknown role', 'team grants shop --set ann=king', /"king" is no role/],
    ['an unusable time', 'token create --name x --expires soon', /30d/],
    ['an unusable address', 'user list --url ftp://x', /"ftp:\/\/x" is not usable/],
    [
      'an unreachable server',
      'user list --url http://127.0.0.1:1',
      /127\.0\.0\.1:1 cannot be reached.*faultline serve/,
    ],
  ])('%s', async (_what, line, message) => {
    const outcome = await run(line);
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toMatch(message);
    expect(outcome.stderr).not.toMatch(/^ +at /m);
  });

  test('no token', async () => {
    const outcome = await run('user list', { FAULTLINE_URL: server.url });
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toMatch(/There is no token .*faultline login/);
  });
});

describe('login', () => {
  test('keeps address and token from standard input in a file that only its owner reads', async () => {
    const home = await newTestDirectory();
    const outcome = await login(home, [], `${adminToken}\n`);
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(outcome.stdout).toContain('as admin');
    const file = join(home, '.config', 'faultline', 'config.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ url: server.url, token: adminToken });
    expect((await run('user list', { HOME: home })).code).toBe(0);
  });

  test('understands a whole sign-in link', async () => {
    const home = await newTestDirectory();
    expect((await login(home, ['--token', `${server.url}/#token=${adminToken}`])).code).toBe(0);
    expect((await run('user list', { HOME: home })).code).toBe(0);
  });

  test('a token that the server refuses is not kept', async () => {
    const home = await newTestDirectory();
    expect((await login(home, ['--token', 'wrong'])).code).toBe(1);
    expect((await run('user list', { HOME: home, FAULTLINE_URL: server.url })).code).toBe(2);
  });

  test('a kept token is never sent to another address', async () => {
    const home = await newTestDirectory();
    await login(home, ['--token', adminToken]);
    const elsewhere = server.url.replace('127.0.0.1', 'localhost');
    const outcome = await run(`user list --url ${elsewhere}`, { HOME: home });
    expect(outcome).toMatchObject({ code: 2 });
    expect(outcome.stderr).toContain(`no token for ${elsewhere}`);
  });

  test('a damaged file is named', async () => {
    const home = await newTestDirectory();
    await login(home, ['--token', adminToken]);
    writeFileSync(join(home, '.config', 'faultline', 'config.json'), '{');
    const outcome = await run('user list', { HOME: home });
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toMatch(/config\.json is not what "faultline login" writes/);
  });
});
