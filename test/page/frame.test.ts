import { expect, test } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll } from '../harness/accessibility.ts';
import { describePage, narrow } from '../harness/page.ts';

describePage('the frame', (under) => {
  test('without a team it says what to do next', async () => {
    const page = await under.openPage('/');
    await page.getByRole('link', { name: 'Create a team' }).click();
    await page.getByRole('heading', { name: 'Administration' }).waitFor();
  });

  test('the switch of the team stays with the subject, and the last team is where one begins', async () => {
    const [first, second] = [await under.app.createTeam('aa first'), await under.app.createTeam('bb second')];
    const page = await under.openPage('/');
    await page.getByRole('heading', { name: first.name }).waitFor();
    await page.getByRole('link', { name: 'Quality' }).click();
    await page.getByRole('button', { name: /switch$/ }).click();
    await page.getByRole('link', { name: second.name }).click();
    await page.waitForURL(`${under.address}/app/teams/${second.id}/qos/**`);
    await page.goto(under.address);
    await page.getByRole('heading', { name: second.name }).waitFor();
  });

  test('a team that nobody may see is not replaced by another one', async () => {
    const page = await under.openPage('/app/teams/00000000-0000-0000-0000-000000000000');
    await page.getByText('There is no such team').waitFor();
  });

  test('an address that leads nowhere offers a way back', async () => {
    const page = await under.openPage('/app/nowhere/at/all');
    await page.getByRole('link', { name: 'To the overview' }).waitFor();
  });

  test('the colours can be chosen, and stay chosen', async () => {
    const page = await under.openPage('/');
    const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const light = await background();
    await page.getByRole('button', { name: 'Colours' }).click();
    await page.getByRole('button', { name: 'Dark' }).click();
    await page.locator('html[data-theme="dark"]').waitFor();
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByRole('button', { name: 'Colours' }).waitFor();
    expect(await background()).toBe(dark);
  });

  test('at 360 pixels the navigation hides behind a button, and the keyboard gets in and out', async () => {
    const page = await under.openPage('/', { size: narrow });
    const link = page.getByRole('link', { name: 'Workflows', exact: true });
    await page.getByRole('button', { name: 'Navigation' }).waitFor();
    expect(await link.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Navigation' }).press('Enter');
    await link.waitFor();
    await page.keyboard.press('Escape');
    await link.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Navigation' }).click();
    await link.click();
    await page.getByRole('heading', { name: 'Workflows' }).waitFor();
    await link.waitFor({ state: 'hidden' });
    await expectNoSidewaysScroll(page);
  });

  test('the first stop of the keyboard leads past the navigation', async () => {
    const page = await under.openPage('/');
    await page.getByRole('link', { name: 'Faultline, overview' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
  });

  test('the bell counts what is unread, and closing it marks all read', async () => {
    const title = '<img src=x onerror=alert(1)>';
    await under.app.createNews(title, '<script>document.title="hacked"</script>');
    const page = await under.openPage('/');
    await page.getByRole('button', { name: 'News, 1 unread' }).click();
    await page.getByRole('region', { name: 'Unread news' }).getByText(title).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'News, nothing unread' }).waitFor();
    expect(await page.title()).not.toContain('hacked');
    const { body } = await under.app.request('GET', '/v1/news?unread=true', { token: 'the-admin-token-of-the-tests' });
    expect(body.news).toEqual([]);
  });

  test('who is signed out elsewhere is asked to sign in', async () => {
    const page = await under.openPage('/', { allow: /401/ });
    await page.getByRole('link', { name: 'Workflows', exact: true }).waitFor();
    await page.context().clearCookies();
    // Whatever the page asks next tells it; if it asked already, there is no link any more.
    const link = page.getByRole('link', { name: 'Administration' });
    await link.click({ timeout: 5_000 }).catch(() => undefined);
    await page.getByLabel('Token').waitFor();
  });
});
