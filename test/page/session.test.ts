import { expect, test } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll } from '../harness/accessibility.ts';
import { adminToken } from '../harness/app.ts';
import { describePage, narrow } from '../harness/page.ts';

describePage(
  'signing in with a provider',
  (under) => {
    test('leads there, and back to where one wanted to go', async () => {
      const page = await under.openPage('/app/platform/services?type=api', { token: null, allow: /401/ });
      const link = page.getByRole('link', { name: 'Sign in with your organisation’s account' });
      expect(await link.getAttribute('href')).toBe(
        `/auth/oidc/login?return_to=${encodeURIComponent('/app/platform/services?type=api')}`,
      );
      await expectAccessible(page);
    });
  },
  {
    config: {
      publicUrl: 'http://faultline.test',
      oidc: { issuer: 'http://127.0.0.1:9', clientId: 'page', clientSecret: 'x' },
    },
  },
);

describePage('signing in', (under) => {
  test('the printed link signs in, and its secret leaves the address bar', async () => {
    const team = await under.app.createTeam();
    const page = await under.openPage(`/#token=${adminToken}`, { token: null, allow: /401/ });
    await page.getByRole('heading', { name: team.name }).waitFor();
    expect(page.url()).toBe(`${under.address}/app/teams/${team.id}`);
    await page.reload();
    await page.getByRole('heading', { name: team.name }).waitFor();
    await page.getByRole('button', { name: 'Signed in as admin' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
  });

  test('a wrong token is told, a right one signs in and leads to where one wanted to go', async () => {
    const page = await under.openPage('/app/platform/services', { token: null, allow: /401/ });
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Token').fill(adminToken);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Platform' }).waitFor();
  });

  test.each(['light', 'dark'] as const)('the way in is accessible in %s', async (scheme) => {
    const page = await under.openPage('/', { token: null, allow: /401/, scheme, size: narrow });
    await page.getByLabel('Token').waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  });
});
