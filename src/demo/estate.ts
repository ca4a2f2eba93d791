import type { Calendar } from './calendar.ts';
import { listServers, poolOf, racksOf } from './servers.ts';
import { calledByAll, calls, databases, datacenters, offers, websites } from './shop.ts';
import { storyOf } from './story.ts';

type Window = { from?: number; to?: number };
type Node = { label: string; name: string; props?: Window };
/** As `POST /v1/teams/{team_id}/graph` takes it. */
export type EstateMessage = { source: Node; target?: Node; rel?: Window };

/** The whole graph of the example, "source depends on target". */
export function listMessages(calendar: Calendar): EstateMessage[] {
  return [...listBusiness(), ...listInterfaces(), ...listMachines(), ...listChanges(calendar)];
}

function listBusiness(): EstateMessage[] {
  const sold = Object.entries(websites).flatMap(([website, sells]) =>
    sells.map((offer) => depends(['Website', website], ['Offer', offer])),
  );
  const made = Object.entries(offers).flatMap(([offer, applications]) =>
    Object.entries(applications).flatMap(([application, apis]) => [
      depends(['Offer', offer], ['Application', application]),
      ...[...calledByAll, ...apis].map((api) => depends(['Application', application], ['Api', api])),
    ]),
  );
  return [...sold, ...made];
}

function listInterfaces(): EstateMessage[] {
  const kept = Object.entries(databases).flatMap(([database, apis]) =>
    apis.flatMap((api) => [
      depends(['Api', api], ['Database', database]),
      depends(['Api', api], ['Pool', poolOf(database)]),
    ]),
  );
  const called = Object.entries(calls).flatMap(([api, others]) =>
    others.map((other) => depends(['Api', api], ['Api', other])),
  );
  return [...kept, ...called];
}

function listMachines(): EstateMessage[] {
  const servers = listServers();
  const carried = (['Pool', 'Database'] as const).flatMap((label) =>
    Object.entries(label === 'Pool' ? servers.pools : servers.databases).flatMap(([name, machines]) =>
      machines.flatMap((machine) => [
        depends([label, name], ['Server', machine.name]),
        depends(['Server', machine.name], ['Rack', machine.rack]),
      ]),
    ),
  );
  const racked = datacenters.flatMap((datacenter) =>
    racksOf(datacenter).map((rack) => depends(['Rack', rack], ['Datacenter', datacenter])),
  );
  return [...carried, ...racked];
}

/** What was not always so. */
function listChanges(calendar: Calendar): EstateMessage[] {
  const { opening, newsletterLeaves, paymentsMove, sale, retired } = storyOf(calendar);
  const checkout = ['Application', 'checkout-web'] as const;
  return [
    depends(checkout, ['Api', 'payments-v1'], { from: opening, to: paymentsMove - 1 }),
    depends(checkout, ['Api', 'payments-v2'], { from: paymentsMove }),
    depends(['Application', 'newsletter-composer'], ['Api', 'orders'], { from: opening, to: newsletterLeaves }),
    depends(['Application', 'flash-sale'], ['Api', 'promotions'], sale),
    { source: { label: 'Server', name: retired.server, props: { from: opening, to: retired.at } } },
  ];
}

const depends = (
  [label, name]: readonly [string, string],
  [targetLabel, targetName]: readonly [string, string],
  rel?: Window,
): EstateMessage => ({
  source: { label, name },
  target: { label: targetLabel, name: targetName },
  ...(rel && { rel }),
});
