import { expect, test } from 'vitest';
import { startHttpStub } from '../../src/platform/integrations/testing/http-stub.ts';
import { expectAccessible, expectNoSidewaysScroll } from '../harness/accessibility.ts';
import { describePage, narrow } from '../harness/page.ts';

describePage(
  'the platform',
  (under) => {
    test('services are listed with their state, and one opens with its lines', async () => {
      await under.app.arrange('POST', '/services/heartbeat', {
        type: 'collector',
        name: 'eu-1',
        version: '2.1',
        monitoring_status: { lines: [{ component: 'queue', status: 'WARN', value: '812 waiting' }] },
      });
      const page = await under.openPage('/app/platform/services');
      await page.getByLabel('Type').selectOption('collector');
      await page.getByRole('button', { name: 'eu-1' }).click();
      await page.getByRole('dialog', { name: 'eu-1' }).getByText('812 waiting').waitFor();
      expect(new URL(page.url()).search).toBe('?type=collector&service=collector%2Feu-1');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.goBack();
      await page.getByRole('button', { name: 'eu-1' }).waitFor();
    });

    test('rows can be walked and opened with the keyboard', async () => {
      const page = await under.openPage('/app/platform/services?type=collector');
      await page.getByRole('row', { name: /eu-1/ }).press('Enter');
      await page.getByRole('dialog', { name: 'eu-1' }).waitFor();
    });

    test('an integration is added with a form made from its schema, tested, and deleted', async () => {
      await under.app.createTeam('shop');
      const stub = await startHttpStub(() => ({ body: { status: 'success', data: {} } }));
      const page = await under.openPage('/app/platform/integrations');
      await page.getByRole('button', { name: 'Add an integration' }).click();
      await page.getByRole('button', { name: /^Prometheus/ }).click();
      await expectAccessible(page);
      await page.getByLabel('Name', { exact: true }).fill('Our Prometheus');
      await page.getByLabel('URL', { exact: true }).fill(stub.url);
      await page.getByLabel('Token (optional)').fill('a secret');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('cell', { name: 'Our Prometheus', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Test Our Prometheus' }).click();
      await page.getByRole('cell').getByRole('status').waitFor();
      expect(stub.seen.length).toBeGreaterThan(0);
      await page.getByRole('button', { name: 'Edit Our Prometheus' }).click();
      expect(await page.getByLabel('Token (optional)').inputValue()).toBe('**********');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Delete Our Prometheus' }).click();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('heading', { name: 'No integration yet' }).waitFor();
    });

    test('what the service complains about stands at the field', async () => {
      const page = await under.openPage('/app/platform/integrations', { allow: /400/ });
      await page.getByRole('button', { name: 'Add an integration' }).click();
      await page.getByRole('button', { name: /^NDJSON/ }).click();
      await page.getByLabel('URL', { exact: true }).fill('https://user@example.com/');
      // The browser would stop it first; here the service shall have its say.
      await page.locator('dialog form').evaluate((form) => form.setAttribute('novalidate', ''));
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').waitFor();
      expect(await page.getByLabel('URL', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    });

    test('a channel is added, sends a test, and what could not be delivered is sent again', async () => {
      const stub = await startHttpStub(() => ({ status: 204, body: '' }));
      const page = await under.openPage('/app/platform/channels');
      await page.getByRole('button', { name: 'Add a channel' }).click();
      await page.getByLabel('Name', { exact: true }).fill('On-call');
      await page.getByLabel('URL', { exact: true }).fill(stub.url);
      await expectAccessible(page);
      await page.getByLabel('Workflows').fill('shop.*, billing.*');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('(workflows: shop.*, billing.*)').waitFor();
      await page.getByRole('button', { name: 'Send a test to On-call' }).click();
      await page.getByRole('cell').getByRole('status').waitFor();
      expect(stub.seen).toHaveLength(1);
      await under.app.database.pool.query(
        `insert into notification_deliveries (team_id, channel_id, event, event_key, content, state, attempts, last_error, created_at, finished_at)
         select team_id, id, 'service.stale', 'k', '{"title": "Service eu-1 is stale", "message": "", "at": "2026-11-15T00:00:00Z", "data": {}}', 'failed', 9, 'It answered 500.', now(), now()
         from notification_channels`,
      );
      await page.getByRole('link', { name: 'Deliveries' }).last().click();
      await page.getByRole('heading', { name: 'Deliveries of shop' }).waitFor();
      await page.getByText('It answered 500.').waitFor();
      await page.getByRole('button', { name: 'Send again: Service eu-1 is stale' }).click();
      await page.getByText('It is on its way again.').waitFor();
    });

    test.each(['light', 'dark'] as const)('every part is accessible in %s, and fits 360 pixels', async (scheme) => {
      const page = await under.openPage('/app/platform/services', { scheme, size: narrow });
      for (const part of ['services', 'integrations', 'channels', 'deliveries']) {
        await page.goto(`${under.address}/app/platform/${part}`);
        await page.getByRole('table').or(page.locator('.empty')).first().waitFor();
        await expectAccessible(page);
        await expectNoSidewaysScroll(page);
      }
    });
  },
  { config: { outboundAllow: ['127.0.0.1'] } },
);
