import { expect, test } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll } from '../harness/accessibility.ts';
import { describePage, narrow } from '../harness/page.ts';

describePage('administration', (under) => {
  test('a user is created, disabled, and seen in the audit log', async () => {
    const page = await under.openPage('/app/admin/users');
    await page.getByRole('button', { name: 'Create a user' }).click();
    await page.getByLabel('Name', { exact: true }).fill('alice');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('button', { name: 'Disable alice' }).click();
    await page.getByRole('button', { name: 'Enable alice' }).click();
    await page.getByRole('button', { name: 'Disable alice' }).waitFor();
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByLabel('Action').fill('user.create');
    await page.getByRole('button', { name: 'user.create' }).first().click();
    await page.getByRole('dialog').getByText('alice').waitFor();
  });

  test('the last administrator cannot be locked out, and the page says why', async () => {
    const page = await under.openPage('/app/admin/users', { allow: /409/ });
    await page.getByRole('button', { name: 'Disable admin' }).click();
    await page
      .getByRole('status')
      .getByText(/administrator/)
      .waitFor();
  });

  test('a team is created, renamed, gets grants, and is deleted', async () => {
    await under.app.createUser('bob');
    const page = await under.openPage('/app/admin/teams');
    await page.getByRole('button', { name: 'Create a team' }).click();
    await page.getByLabel('Name', { exact: true }).fill('shop');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('button', { name: 'Rename shop' }).click();
    await page.getByLabel('Name', { exact: true }).fill('the shop');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    await page.getByRole('button', { name: 'Grants of the shop' }).click();
    await page.getByLabel('Somebody else').selectOption('bob');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByLabel('Role of bob').selectOption('editor');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The grants are saved.').waitFor();
    const { teams } = await under.app.arrange('GET', '/v1/teams');
    const { grants } = await under.app.arrange('GET', `/v1/teams/${teams[0].id}/grants`);
    expect(grants).toEqual([{ user: 'bob', role: 'editor' }]);
    await page.getByRole('button', { name: 'Delete the shop' }).click();
    await page.getByRole('button', { name: 'Delete the team and all it owns' }).click();
    await page.getByRole('heading', { name: 'There is no team' }).waitFor();
  });

  test('a token is shown once, works, and can be revoked', async () => {
    const page = await under.openPage('/app/admin/tokens');
    await page.getByRole('button', { name: 'Create a token' }).click();
    await page.getByLabel('Name', { exact: true }).fill('laptop');
    await page.getByLabel('Write').check();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const token = await page.getByRole('dialog').getByLabel('Token').inputValue();
    expect((await under.app.request('GET', '/v1/users/me', { token })).body.scopes).toEqual(['Read', 'Write']);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Revoke laptop' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByRole('cell', { name: 'laptop', exact: true }).waitFor({ state: 'detached' });
    expect((await under.app.request('GET', '/v1/users/me', { token })).status).toBe(401);
  });

  test('news is written, changed and deleted', async () => {
    const page = await under.openPage('/app/admin/news');
    await page.getByRole('button', { name: 'Write news' }).click();
    await page.getByLabel('Title').fill('Rack 3 moves');
    await page.getByLabel('Message').fill('On Saturday.');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('button', { name: 'Edit Rack 3 moves' }).click();
    await page.getByLabel('Message').fill('On Sunday.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('On Sunday.').waitFor();
    await page.getByRole('button', { name: 'Delete Rack 3 moves' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { name: 'There is no news' }).waitFor();
  });

  test('who is no administrator sees their own tokens and teams, and nothing to administer', async () => {
    const user = await under.app.createUser();
    const { token } = await under.app.createToken(user.id, ['Read', 'Write']);
    const page = await under.openPage('/app/admin/users', { token });
    await page.getByRole('heading', { name: 'This is for administrators' }).waitFor();
    await page.getByRole('navigation', { name: 'Administration' }).getByText('My tokens').click();
    await page.getByRole('heading', { name: `Tokens of ${user.name}` }).waitFor();
    expect(await page.getByRole('link', { name: 'Users' }).count()).toBe(0);
  });

  test.each(['light', 'dark'] as const)('every part is accessible in %s, and fits 360 pixels', async (scheme) => {
    const page = await under.openPage('/app/admin/users', { scheme, size: narrow });
    for (const part of ['users', 'teams', 'tokens', 'audit', 'news']) {
      await page.goto(`${under.address}/app/admin/${part}`);
      await page.getByRole('table').or(page.locator('.empty')).first().waitFor();
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
    }
  });
});
