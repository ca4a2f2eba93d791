import { expect, test } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll } from '../harness/accessibility.ts';
import { describePage, narrow } from '../harness/page.ts';

describePage('the overview', (under) => {
  let teamId = '';

  async function arrangeTeam(): Promise<string> {
    if (teamId !== '') return teamId;
    const { app } = under;
    const team = await app.createTeam('shop');
    await app.arrange('POST', `/v1/teams/${team.id}/graph`, [
      { source: { label: 'Website', name: 'www' }, target: { label: 'Server', name: 'srv-1' } },
      { source: { label: 'Website', name: 'www' }, target: { label: 'Server', name: 'srv-2' } },
    ]);
    await app.createNews('Rack 3 moves', 'On Saturday.');
    await app.arrange('POST', '/services/heartbeat', { type: 'collector', name: 'quiet-one', ttl_seconds: 86_400 });
    // Too long ago, but not gone yet.
    await app.database.pool.query(
      "update services set last_heartbeat = now() - interval '30 hours' where name = 'quiet-one'",
    );
    teamId = team.id;
    return teamId;
  }

  test('shows labels with their counts, silent services and the latest news', async () => {
    const page = await under.openPage(`/app/teams/${await arrangeTeam()}`);
    await page.getByText('3 nodes in 2 labels').waitFor();
    const labels = page.getByRole('list', { name: 'Labels' }).getByRole('listitem');
    expect(await labels.allInnerTexts()).toEqual([
      expect.stringMatching(/Server\s+2/),
      expect.stringMatching(/Website\s+1/),
    ]);
    await page.getByRole('list', { name: 'Stale services' }).getByText('quiet-one').waitFor();
    await page.getByRole('heading', { name: 'Rack 3 moves' }).waitFor();
    await page.getByText('Nothing runs at the moment.').waitFor();
  });

  test('shows quality of today and over 30 days as the service tells it', async () => {
    const id = await arrangeTeam();
    const page = await under.openPage('/app/admin/tokens');
    const today = new Date().toISOString().slice(0, 10);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    await page.route('**/v1/teams/*/labels', (route) =>
      route.fulfill({ json: [{ name: 'Server', nodes_count: 2, qos_query: 'rule.Servers' }] }),
    );
    await page.route('**/v1/teams/*/qos?*', (route) =>
      route.fulfill({
        json: {
          data: [
            { day: yesterday, value: 100 },
            { day: today, value: 99.5 },
          ],
        },
      }),
    );
    await page.goto(`${under.address}/app/teams/${id}`);
    await page.getByText('99.500 %').waitFor();
    await page.getByText('99.750 % over 2 days').waitFor();
    await page.getByRole('img', { name: 'Quality of Server over 30 days: 99.750 % on average' }).waitFor();
  });

  test('an empty graph says how to fill it', async () => {
    const empty = await under.app.createTeam();
    const page = await under.openPage(`/app/teams/${empty.id}`);
    await page.getByRole('heading', { name: 'The graph is empty' }).waitFor();
  });

  test('a service that fails is told with a way to try again', async () => {
    const id = await arrangeTeam();
    const page = await under.openPage('/app/admin/tokens', { allow: /403/ });
    let isBroken = true;
    await page.route('**/v1/teams/*/labels', (route) =>
      isBroken ? route.fulfill({ status: 403, json: { error: 'forbidden', message: 'Not today.' } }) : route.continue(),
    );
    await page.goto(`${under.address}/app/teams/${id}`).catch(() => undefined);
    await page.getByText('Not today.').waitFor();
    isBroken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('3 nodes in 2 labels').waitFor();
  }, 60_000);

  test.each(['light', 'dark'] as const)('is accessible in %s, and fits 360 pixels', async (scheme) => {
    const page = await under.openPage(`/app/teams/${await arrangeTeam()}`, { scheme, size: narrow });
    await page.getByRole('heading', { name: 'Rack 3 moves' }).waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  });
});
