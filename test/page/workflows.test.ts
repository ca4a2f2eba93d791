import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll } from '../harness/accessibility.ts';
import { newTestDirectory } from '../harness/database.ts';
import { describePage, narrow } from '../harness/page.ts';
import { type Act, createWorker, type Instance, until } from '../harness/workflows.ts';

/** The examples, in a place of their own: a test breaks a file of it. Their tasks are done by the worker of the test. */
const home = join(await newTestDirectory(), 'home');
await cp(fileURLToPath(new URL('../../examples/home', import.meta.url)), home, { recursive: true });

describePage(
  'workflows',
  (under) => {
    let worker: ReturnType<typeof createWorker>;
    beforeAll(async () => {
      worker = createWorker(under.app, 'worker');
      await under.app.arrange('POST', '/api/definitions/example.HEARTBEAT/pause');
    });

    const start = async (fullname: string, payload: object = {}): Promise<string> => {
      const [project, name] = fullname.split('.');
      return (await under.app.arrange('POST', '/api/workflows', { project, name, payload })).id;
    };
    const detail = (id: string): Promise<Instance> => under.app.arrange('GET', `/api/workflows/${id}`);
    /** Works until the instance has ended, or waits for a person. */
    const work = (id: string, act: Act = reserve): Promise<void> =>
      until(async () => {
        for (const task of await worker.claim({ max: 100 })) await worker.act(task, await act(task));
        const { finished, tasks } = await detail(id);
        const isOver = finished !== null && tasks.every(({ finished }) => finished !== null);
        return isOver || tasks.some(({ status, message }) => status === 'progress' && message !== null);
      }, `${id} ends or asks`);
    const reserve: Act = ({ key }) => (key === 'RESERVE' ? { result: { items: ['lamp', 'shade'] } } : undefined);
    const box = (page: Page, text: string | RegExp) =>
      page.getByRole('region', { name: /^Drawing/ }).getByRole('button', {
        name: typeof text === 'string' ? new RegExp(`^${text}`) : text,
      });

    test('definitions are listed by project, say when they run next, and can be paused', async () => {
      const page = await under.openPage('/app/workflows');
      const row = page.getByRole('row', { name: /QUOTE/ });
      await row.getByText('30 6 * * 1-5 (Europe/Paris)').waitFor();
      await row.getByText('next').waitFor();
      await row.getByRole('button', { name: 'Pause the schedule of shop.QUOTE' }).click();
      await row.getByText('Paused').waitFor();
      await row.getByRole('button', { name: 'Resume the schedule of shop.QUOTE' }).click();
      await row.getByText('next').waitFor();
      await page.getByLabel('Find').fill('customer');
      await row.waitFor({ state: 'detached' });
      expect(page.url()).toContain('find=customer');
      await page.getByRole('link', { name: 'NOTIFY', exact: true }).click();
      await page.getByRole('heading', { name: 'shop.NOTIFY' }).waitFor();
    });

    test('a definition is drawn, and its items say what the definition says', async () => {
      const page = await under.openPage('/app/workflows/definitions/shop.ORDER');
      await box(page, 'RESERVE').waitFor();
      const places = await Promise.all(
        ['RESERVE', 'SIGN_OFF', 'PACK_EACH', 'TELL_CUSTOMER'].map(
          async (key) => (await box(page, key).boundingBox())?.x,
        ),
      );
      expect(places).toEqual(places.toSorted((a, b) => Number(a) - Number(b)));
      await box(page, 'PACK_EACH').press('Enter');
      await page.getByText('results.RESERVE.items', { exact: true }).waitFor();
      await page.getByText('at most 4').waitFor();
      await page.reload();
      await page.getByText('at most 4').waitFor();
      await box(page, 'TELL_CUSTOMER').click();
      await page.getByRole('link', { name: 'shop.NOTIFY' }).waitFor();
    });

    test('a run form comes from the schema; the instance is then drawn live, approved, and leads to its sub-workflow', async () => {
      const page = await under.openPage('/app/workflows/definitions/shop.ORDER?run=1');
      const form = page.getByRole('dialog');
      expect(await form.getByLabel('Total').inputValue()).toBe('120');
      await form.getByRole('button', { name: 'JSON' }).click();
      await form.getByLabel('Payload, as JSON').fill('{ "total": 4200 }');
      await form.getByRole('button', { name: 'Form' }).click();
      await form.getByLabel('Order number').fill('A-1');
      await form.getByLabel('Comment').fill('for the test');
      await form.getByRole('button', { name: 'Run', exact: true }).click();
      await page.waitForURL(/\/app\/workflows\/instances\//);
      const id = page.url().split('/').at(-1) ?? '';
      expect((await detail(id)).payload).toEqual({ id: 'A-1', total: 4200 });
      await page.getByText('for the test').waitFor();

      await page.getByText('Live').waitFor();
      await box(page, /RESERVE.*Pending/).waitFor();
      const task = await worker.take();
      await box(page, /RESERVE.*Running/).click();
      const { id: taskId, attempt } = task;
      await worker.report({
        running: [{ id: taskId, attempt, progress: 0.5 }],
        logs: [{ id: taskId, attempt, lines: ['reserving'] }],
      });
      await page.getByRole('log').getByText('reserving').waitFor();
      await worker.report({
        running: [{ id: taskId, attempt }],
        logs: [{ id: taskId, attempt, lines: ['nearly there'] }],
      });
      await page.getByRole('log').getByText('nearly there').waitFor();
      await worker.complete(task, { items: ['lamp', 'shade'] });
      await box(page, /RESERVE.*Succeeded/).waitFor();
      await page.getByRole('region', { name: 'Result' }).getByText('"shade"').waitFor();

      await work(id);
      await page.getByText('SIGN_OFF waits for approval: Order A-1 over 4200: may it leave the house?').waitFor();
      await page.getByRole('button', { name: 'Approve…' }).click();
      await page.getByRole('dialog').getByLabel('Comment').fill('it may');
      await page.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click();
      await box(page, /SIGN_OFF.*Succeeded/).click();
      await page.getByRole('region', { name: 'Result' }).getByText('it may').waitFor();
      await work(id);
      await page.getByRole('heading', { name: 'shop.ORDER Succeeded' }).waitFor();

      await box(page, /PACK_EACH.*2 of 2/).click();
      await page.getByRole('button', { name: 'PACK_EACH[1]' }).click();
      await page.getByRole('button', { name: 'All elements of PACK_EACH' }).click();
      await box(page, 'TELL_CUSTOMER').click();
      await page.getByRole('link', { name: 'The instance that it started' }).click();
      await page.getByRole('heading', { name: 'shop.NOTIFY Succeeded' }).waitFor();
      await page.getByRole('link', { name: /a task of instance/ }).click();
      await page.getByRole('heading', { name: 'shop.ORDER Succeeded' }).waitFor();
      await page.getByRole('heading', { name: 'TELL_CUSTOMER' }).waitFor();
    });

    test('what the service complains about stands at its field, and what is no JSON is told', async () => {
      const page = await under.openPage('/app/workflows/definitions/shop.ORDER?run=1', { allow: /400/ });
      const form = page.getByRole('dialog');
      await form.getByLabel('Order number').fill('A-1');
      await form.getByLabel('Customer').fill('ada@localhost..');
      await form.getByRole('button', { name: 'JSON' }).click();
      await form.getByLabel('Payload, as JSON').fill('{ id: 1 }');
      await form.getByRole('button', { name: 'Run', exact: true }).click();
      await form.getByText('This is not JSON').waitFor();
      await form.getByLabel('Payload, as JSON').fill('{ "id": "A-1", "total": -1 }');
      await form.getByRole('button', { name: 'Run', exact: true }).click();
      await form.getByRole('alert').getByText('total').waitFor();
      await form.getByRole('button', { name: 'Form' }).click();
      expect(await form.getByLabel('Total').getAttribute('aria-invalid')).toBe('true');
    });

    test('a failure shows its error; retry keeps what succeeded, relaunch does not, delete removes', async () => {
      const id = await start('example.ETL');
      await work(id, ({ key }) => (key === 'TRANSFORM' ? { error: 'no numbers' } : undefined));
      const page = await under.openPage(`/app/workflows/instances/${id}`);
      await box(page, /TRANSFORM.*Failed/).click();
      await page.getByText('no numbers').waitFor();
      await page.getByRole('button', { name: 'Retry from failure' }).click();
      await box(page, /EXTRACT.*Succeeded/).waitFor();
      await page.getByRole('link', { name: /^instance / }).waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel the instance' }).click();
      await page.getByRole('heading', { name: 'example.ETL Canceled' }).waitFor();
      const canceled = page.url();
      await page.getByRole('button', { name: 'Relaunch' }).click();
      await box(page, /EXTRACT.*Pending/).waitFor();
      await page.goto(canceled);
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.waitForURL(/\/app\/workflows\/instances\?project=example&name=ETL/);
      const answers = await under.app.arrange('GET', '/api/workflows?status=canceled&project=example&name=ETL');
      expect(answers).toEqual([]);
    });

    test('instances are filtered and paged by the service, and the address says it all', async () => {
      await Promise.all(Array.from({ length: 51 }, (_, n) => start('example.RANDOMS', { n })));
      const page = await under.openPage('/app/workflows/instances');
      await page.getByLabel('Project').fill('example');
      await page.getByLabel('Name').fill('RANDOMS');
      await page.getByLabel('Status').selectOption('pending');
      await page.getByText('1 to 50 of 51').waitFor();
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByText('51 to 51 of 51').waitFor();
      expect(new URL(page.url()).search).toBe('?project=example&name=RANDOMS&status=pending&page=2');
      const second = await under.openPage(new URL(page.url()).pathname + new URL(page.url()).search);
      await second.getByRole('link', { name: 'example.RANDOMS' }).waitFor();
      expect(await second.getByRole('link', { name: 'example.RANDOMS' }).count()).toBe(1);
      await page.getByLabel('Created until').fill('2020-01-01T00:00');
      await page.getByText('No instance fits').waitFor();
      await page.getByRole('button', { name: 'Clear the filter' }).first().click();
      await page.getByRole('cell', { name: 'Request' }).first().waitFor();
      expect(new URL(page.url()).search).toBe('');
    });

    test('a list with a time line says the same as the drawing, by keyboard too', async () => {
      const id = await start('shop.ORDER', { id: 'A-2', total: 1 });
      await work(id);
      const page = await under.openPage(`/app/workflows/instances/${id}`);
      await page.getByRole('button', { name: 'List' }).click();
      await page.getByRole('row', { name: /SIGN_OFF.*Skipped/ }).waitFor();
      await page.getByRole('button', { name: '2 elements' }).press('Enter');
      await page.getByRole('row', { name: /PACK_EACH\[0\].*Succeeded/ }).waitFor();
      await page.getByLabel('Status of tasks').selectOption('skipped');
      await page.getByRole('row', { name: /RESERVE/ }).waitFor({ state: 'detached' });
      await page.getByLabel('Status of tasks').selectOption('');
      await page.getByRole('row', { name: /RESERVE/ }).focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: /^CHECK_ADDRESS/ }).waitFor();
      expect(page.url()).toContain('view=list');
    });

    test('a fault in a file is told with its place', async () => {
      await writeFile(join(home, 'workflows/broken.yml'), 'shop.NEW:\n  tasks: [NO_SUCH_TASK]\n');
      const page = await under.openPage('/app/workflows');
      await page.getByText('workflows/broken.yml:2:11').waitFor();
      await writeFile(join(home, 'workflows/broken.yml'), '');
      await page.getByText('workflows/broken.yml').waitFor({ state: 'detached' });
    });

    test('where there is nothing yet, it is said what to do', async () => {
      const page = await under.openPage('/app/workflows/instances?project=none');
      await page.getByText('No instance fits').waitFor();
      await page.route('**/api/definitions', (route) => route.fulfill({ json: [] }));
      await page.route('**/api/workflows?*', (route) => route.fulfill({ json: [], headers: { 'x-total-count': '0' } }));
      await page.getByRole('button', { name: 'Clear the filter' }).first().click();
      await page.getByText('Nothing has run yet').waitFor();
      await page.getByRole('link', { name: 'Definitions' }).click();
      await page.getByText('There is no workflow yet').waitFor();
    });

    test('what is not there is told', async () => {
      const page = await under.openPage('/app/workflows/definitions/shop.NONE', { allow: /404/ });
      await page.getByRole('alert').waitFor();
      const instance = await under.openPage('/app/workflows/instances/01a1decd-f9e8-7000-8b79-1151c7e78ff3', {
        allow: /404/,
      });
      await instance.getByRole('alert').getByText('There is no such workflow instance.').waitFor();
    });

    test.each(['light', 'dark'] as const)('everything is accessible in %s, and fits 360 pixels', async (scheme) => {
      const id = await start('shop.ORDER', { id: 'A-3', total: 5000 });
      await work(id);
      const failed = await start('example.ETL');
      await work(failed, () => ({ error: 'broken' }));
      const { tasks } = await detail(failed);
      const page = await under.openPage('/app/workflows', { size: narrow, scheme });
      for (const [path, words] of [
        ['/app/workflows', 'HEARTBEAT'],
        ['/app/workflows/definitions/shop.ORDER?item=4', 'For each of'],
        ['/app/workflows/definitions/shop.ORDER?run=1', 'Order number'],
        ['/app/workflows/instances', 'Created until'],
        [`/app/workflows/instances/${id}`, 'waits for approval'],
        [`/app/workflows/instances/${failed}?view=list&task=${tasks[0].id}`, 'broken'],
      ]) {
        await page.goto(under.address + path);
        await page.getByText(words).filter({ visible: true }).first().waitFor();
        await expectAccessible(page);
        await expectNoSidewaysScroll(page);
      }
    });
  },
  { config: { home } },
);
