import { beforeAll, expect, test } from 'vitest';
import { describePage } from '../harness/page.ts';
import type { QosTeam } from '../harness/qos.ts';
import { yesterday as day, newShop } from '../harness/qos-shop.ts';

type Field = { value: string; selectionStart: number; selectionEnd: number };

describePage('quality of service', (under) => {
  let team: QosTeam;
  let root: string;
  beforeAll(async () => {
    team = await newShop(under.app);
    root = `/app/teams/${team.teamId}/qos`;
  });

  test('from the labels one comes to the worst nodes of a day, and from there to the cause', async () => {
    const page = await under.openPage(root);
    await page.getByRole('row', { name: /Shop.*96\.736 %.*left/ }).waitFor();
    await page.getByRole('link', { name: 'Api', exact: true }).click();
    await page.getByRole('button', { name: /: 96\.736 %$/ }).click();
    expect(new URL(page.url()).searchParams.get('day')).toBe(day);
    await page.getByRole('link', { name: 'Explain a' }).click();
    await page.getByRole('list', { name: 'Causes' }).getByText('47 min, from 13:12').waitFor();
    const branch = page.getByRole('button', { name: 'Close d1' });
    await branch.press('Enter');
    await page.getByRole('button', { name: 'Open d1' }).waitFor();
  });

  test('days of the chart are walked with the arrow keys', async () => {
    const page = await under.openPage(`${root}/labels/Shop`);
    await page.getByRole('button', { name: /: 96\.736 %$/ }).press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No node has a figure of this day' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Explain s' }).waitFor();
  });

  test('the editor complains at the right column, with the words of the service', async () => {
    const page = await under.openPage(`${root}/configuration`);
    const field = page.getByLabel('Query of Api');
    await field.fill('operation.AND[Dsk]');
    const complaint = page.getByRole('button', { name: /^column 15: the label Dsk is neither/ });
    await complaint.click();
    const selected = await field.evaluate((element) => {
      const { value, selectionStart, selectionEnd } = element as unknown as Field; // it runs in the browser
      return value.slice(selectionStart, selectionEnd);
    });
    expect(selected).toBe('Dsk');
    expect(await page.getByRole('button', { name: 'Save as the new version' }).isDisabled()).toBe(true);
    await field.fill('operation.');
    await page.getByText(/^column 11: /).waitFor();
    await field.fill('');
    await page.getByRole('button', { name: 'operation.OR[]', exact: true }).click();
    await page.getByRole('button', { name: 'Disk', exact: true }).click();
    expect(await field.inputValue()).toBe('operation.OR[Disk]');
    await page.getByText('Good while some Disk it depends on is good.').waitFor();
  });

  test('the whole configuration goes in and out as JSON', async () => {
    const page = await under.openPage(`${root}/configuration`);
    await page.getByRole('button', { name: 'As JSON' }).click();
    const field = page.getByLabel('Configuration', { exact: true });
    expect(JSON.parse(await field.inputValue())).toMatchObject({ Api: { qos: 'operation.AND[Disk]' } });
    await field.fill('{"Disk": "rule.Up"}');
    await page.getByText(/^Disk must be like/).waitFor();
    await field.fill('{"Disk": {"qos": "rule.Up"}}');
    await page.getByRole('button', { name: 'Take it over' }).click();
    await page.getByText('2 removed').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await page.getByLabel('Query of Api').inputValue()).toBe('operation.AND[Disk]');
  });

  test('a dry run shows what would change; saved, it is a version that can be compared and taken back', async () => {
    const page = await under.openPage(`${root}/configuration`);
    await page.getByLabel('Query of Api').fill('operation.OR[Disk]');
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByRole('row', { name: /^Api 96\.736 % .*100 %.* 1$/ }).waitFor();
    await page.getByRole('button', { name: 'Save as the new version' }).click();
    await page.getByText(/^Version 3 is in force/).waitFor();
    await page.getByText('version 3', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.getByRole('link', { name: 'Versions' }).click();
    await page.getByRole('row', { name: /^3 in force 1 changed/ }).waitFor();
    await page.getByRole('deletion').getByText('AND').waitFor();
    await page.getByRole('button', { name: '2', exact: true }).click();
    await page.getByRole('button', { name: 'Go back to it' }).click();
    await page.getByRole('button', { name: 'Use version 2' }).click();
    await page.getByRole('row', { name: /^2 in force/ }).waitFor();
    await page.getByLabel('Compared with').selectOption('3');
    await page.getByRole('insertion').getByText('AND').waitFor();
  });

  test('a copy of an older version is edited, saved, and in the editor then', async () => {
    const page = await under.openPage(`${root}/configuration/versions?version=1`);
    await page.getByRole('link', { name: 'Edit a copy' }).click();
    await page.getByText('1 changed, 1 removed').waitFor();
    await page.getByLabel('Query of Shop').fill('aggregation.MIN[Api]');
    await page.getByLabel('Query of Api').fill('operation.AND[Disk]');
    await page.getByRole('button', { name: 'Save as the new version' }).click();
    await page.getByText('version 4', { exact: true }).waitFor();
    expect(await page.getByLabel('Query of Shop').inputValue()).toBe('aggregation.MIN[Api]');
    expect(await page.getByRole('button', { name: 'Discard' }).count()).toBe(0);
  });

  test('source, check and rule are made with forms from their schemas, and the rule is tried', async () => {
    const page = await under.openPage(`${root}/sources`);
    await page.getByRole('button', { name: 'Add a source' }).click();
    await page.getByLabel('Model').selectOption('prometheus');
    await page.getByLabel('Name', { exact: true }).fill('metrics');
    await page.getByLabel('URL', { exact: true }).fill('http://127.0.0.1:1');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'metrics', exact: true }).waitFor();

    await page.getByRole('link', { name: 'Checks', exact: true }).click();
    await page.getByRole('button', { name: 'Add a check' }).click();
    await page.getByLabel('Name', { exact: true }).fill('load');
    await page.getByLabel('Source').selectOption('metrics');
    await page.getByLabel('Query (optional)').fill('load{node="{{ name }}"}');
    await page.getByLabel('Threshold').fill('0:2.5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /load from 0 to 2\.5 metrics/ }).waitFor();

    await page.getByRole('link', { name: 'Rules', exact: true }).click();
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Quick');
    await page.getByLabel(/^ping/).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Quick' }).waitFor();
    await page.getByLabel('Label').selectOption('Disk');
    await page.getByLabel('Node').fill('d1');
    await page.getByLabel('Day').fill(day);
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByRole('img', { name: 'Quick: bad for 47 min' }).waitFor();
    await page.getByText('13:12–13:59 (47 min)').first().waitFor();
  });

  test('what cannot be deleted says who uses it', async () => {
    const page = await under.openPage(`${root}/sources`, { allow: /409/ });
    await page.getByRole('button', { name: 'Delete pushed' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('alert').getByText(/ping/).waitFor();
  });

  test('an objective is set, and its budget is shown', async () => {
    const page = await under.openPage(`${root}/objectives`);
    await page.getByRole('button', { name: 'Add an objective' }).click();
    await page.getByLabel('Label').selectOption('Disk');
    await page.getByLabel('Target, in percent').fill('99');
    await page.getByLabel('Over so many days').fill('1');
    await page.getByText('It may fail for 14 min 24 s in that time.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /^Disk 99 % over a day 98\.368 % missed/ }).waitFor();
  });

  test('a day is computed, and its run leads to the workflow', async () => {
    const page = await under.openPage(`${root}/runs`);
    await page.getByRole('button', { name: 'Compute' }).click();
    await page.getByLabel('Day', { exact: true }).fill(day);
    await page.getByLabel('Labels').selectOption('Api');
    await page.getByRole('dialog').getByRole('button', { name: 'Compute' }).click();
    await page.getByText('3 in 2 of 2 pieces').waitFor();
    await page.getByText('success', { exact: true }).waitFor();
    const href = await page.getByRole('link', { name: 'Workflow', exact: true }).getAttribute('href');
    expect(href).toMatch(/^\/app\/workflows\/instances\//);
  });

  test('a member reads, and is offered no change', async () => {
    const user = await under.app.createUser();
    await under.app.grant(team.teamId, user.name, 'member');
    const { token } = await under.app.createToken(user.id);
    const page = await under.openPage(`${root}/configuration`, { token });
    await page.getByLabel('Query of Disk').waitFor();
    expect(await page.getByLabel('Query of Disk').getAttribute('readonly')).not.toBeNull();
    await page.getByRole('link', { name: 'Rules', exact: true }).click();
    await page.getByRole('link', { name: 'Up' }).click();
    await page.getByRole('heading', { name: 'Up' }).waitFor();
    expect(await page.getByRole('button', { name: /Add|Edit|Delete|Try/ }).count()).toBe(0);
  });

  test('a team without figures is told what to do', async () => {
    const { id } = await under.app.createTeam();
    const page = await under.openPage(`/app/teams/${id}/qos`);
    await page.getByRole('link', { name: 'Add a source' }).click();
    await page.getByRole('heading', { name: 'No source yet' }).waitFor();
  });
});
