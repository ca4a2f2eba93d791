import type { Page } from 'playwright-core';

export type Picture = {
  /** What the file is called. */
  name: string;
  path: string;
  schemes?: readonly ('light' | 'dark')[];
  /** What a reader would do before the picture is worth taking. */
  prepare?: (page: Page) => Promise<unknown>;
};

type Ask = <T>(path: string) => Promise<T>;
const both = ['light', 'dark'] as const;

/** Every page that gets a picture. */
export async function listPages({ ask, teamId }: { ask: Ask; teamId: string }): Promise<Picture[]> {
  const team = `/app/teams/${teamId}`;
  const instance = await findFailed(ask);
  const definitions = await ask<{ fullname: string }[]>('/api/definitions');
  const definition = definitions.find(({ fullname }) => fullname === 'shop.ORDER') ?? definitions[0];
  const worst = await findWorst(ask, teamId);
  return [
    { name: 'sign-in', path: '/' },
    { name: 'overview', path: team, schemes: both },
    { name: 'whole-graph', path: `${team}/explorer?view=whole`, schemes: both },
    ...(worst ? [...nodePictures(team, worst), ...qosPictures(`${team}/qos`, worst)] : []),
    { name: 'qos', path: `${team}/qos/labels`, schemes: both },
    { name: 'qos-versions', path: `${team}/qos/configuration/versions` },
    { name: 'qos-objectives', path: `${team}/qos/objectives` },
    { name: 'qos-runs', path: `${team}/qos/runs` },
    { name: 'workflows', path: '/app/workflows' },
    ...(definition
      ? [
          { name: 'definition', path: `/app/workflows/definitions/${definition.fullname}` },
          { name: 'run-form', path: `/app/workflows/definitions/${definition.fullname}?run=1` },
        ]
      : []),
    { name: 'instances', path: '/app/workflows/instances' },
    ...(instance ? [{ name: 'instance', path: `/app/workflows/instances/${instance.id}`, schemes: both }] : []),
    { name: 'services', path: '/app/platform/services' },
    { name: 'integrations', path: '/app/platform/integrations' },
    {
      name: 'new-integration',
      path: '/app/platform/integrations',
      prepare: async (page) => {
        await page.getByRole('button', { name: 'Add an integration' }).click();
        await page.getByRole('button', { name: /^Prometheus/ }).click();
      },
    },
    { name: 'channels', path: '/app/platform/channels' },
    { name: 'deliveries', path: '/app/platform/deliveries' },
    { name: 'users', path: '/app/admin/users' },
    { name: 'teams', path: '/app/admin/teams' },
    { name: 'tokens', path: '/app/admin/tokens' },
    { name: 'audit', path: '/app/admin/audit' },
    { name: 'news', path: '/app/admin/news' },
    { name: 'bell', path: team, prepare: (page) => page.getByRole('button', { name: /^News/ }).click() },
  ];
}

/** The order of the example that fails, once it has. */
async function findFailed(ask: Ask): Promise<{ id: string } | undefined> {
  for (let tries = 0; tries < 30; tries++) {
    const [failed] = await ask<{ id: string }[]>('/api/workflows?status=error&per_page=1&with_payload=false');
    if (failed) return failed;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  return undefined;
}

type Worst = { label: string; day: string; name: string };

/** The worst node of the worst day that a website had. */
async function findWorst(ask: Ask, teamId: string): Promise<Worst | undefined> {
  const label = 'Website';
  const { data } = await ask<{ data: { day: string; value: number | null }[] }>(
    `/v1/teams/${teamId}/qos?label=${label}`,
  );
  const day = data.toSorted((a, b) => (a.value ?? 100) - (b.value ?? 100))[0]?.day;
  if (day === undefined) return undefined;
  const worst = await ask<{ data: { name: string }[] }>(
    `/v1/teams/${teamId}/qos/worst?label=${label}&day=${day}&limit=1`,
  );
  const name = worst.data[0]?.name;
  return name === undefined ? undefined : { label, day, name };
}

/** A node with something to see, and where it all came from. */
function nodePictures(team: string, { label, day, name }: Worst): Picture[] {
  const node = new URLSearchParams({ label, name }).toString();
  return [
    { name: 'explorer', path: `${team}/explorer?${node}&day=${day}`, schemes: both },
    { name: 'impacted', path: `${team}/explorer?label=Database&name=orders-db&view=impacted` },
    { name: 'node', path: `${team}/nodes/${label}/${encodeURIComponent(name)}?day=${day}` },
  ];
}

function qosPictures(qos: string, { label, day, name }: Worst): Picture[] {
  return [
    { name: 'qos-label', path: `${qos}/labels/${label}?day=${day}` },
    {
      name: 'qos-explanation',
      path: `${qos}/explain?label=${label}&name=${encodeURIComponent(name)}&day=${day}`,
      schemes: both,
    },
    {
      name: 'qos-configuration',
      path: `${qos}/configuration`,
      prepare: (page) => page.getByLabel('Query of Api').fill('operation.AND[Databse, Pool]'),
    },
    {
      name: 'qos-rule',
      path: `${qos}/rules`,
      prepare: async (page) => {
        await page.getByRole('link', { name: 'Database healthy' }).click();
        await page.getByLabel('Node').fill('orders-db');
        await page.getByLabel('Day').fill(day);
        await page.getByRole('button', { name: 'Try it' }).click();
        await page.getByRole('img', { name: /^Database healthy/ }).waitFor();
      },
    },
  ];
}
