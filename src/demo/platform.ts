import { at, type Calendar, isoDate } from './calendar.ts';
import { badDay, storyOf } from './story.ts';

/** Oldest first. */
export function listNews(calendar: Calendar): { title: string; message: string }[] {
  const { silent, retired } = storyOf(calendar);
  return [
    {
      title: 'Welcome to Lumen, the example shop',
      message:
        'Lumen sells lamps that do not exist. Its estate, its measurements and its bad day are made up, but the figures are computed by the service like anybody else’s. Delete the team, or load it again with "faultline demo".',
    },
    {
      title: `${retired.server} has been switched off`,
      message: `Its last second was on ${isoDate(retired.at)} at 18:00 UTC. The pool of the catalogue goes on without it; look at the node with inactive ones shown.`,
    },
    {
      title: `Orders could not be written on ${isoDate(at(calendar, badDay))}`,
      message:
        'From 13:12 to 13:59 UTC the checkout failed, and with it everything that needs orders. Which part was it? Open the offer Checkout, click on that day, and follow the reasons down.',
    },
    {
      title: `Nobody hears of ${silent.server} any more`,
      message: `Its agent has been silent since ${isoDate(silent.at)}, 09:30 UTC. Since then its quality is unknown: that is neither 0 nor 100 percent.`,
    },
  ];
}

type Line = { status: 'OK' | 'WARN' | 'AL'; component: string; value: string };
type Beat = { type: string; name: string; version: string; region: string; ttl_seconds: number; lines: Line[] };

const agent = (region: string, version: string, lines: Line[]): Beat => ({
  type: 'shop-agent',
  name: `agents-${region}`,
  version,
  region,
  // Nobody beats for them: they stay for a day, are stale for another, and go.
  ttl_seconds: 86_400,
  lines,
});

export const services = [
  agent('par1', '3.4.1', [{ status: 'OK', component: 'agents', value: 'all report' }]),
  agent('fra1', '3.4.1', [{ status: 'OK', component: 'agents', value: 'all report' }]),
  agent('waw1', '3.3.0', [
    { status: 'WARN', component: 'agents', value: 'one has been silent for two days' },
    { status: 'OK', component: 'queue', value: '12' },
  ]),
].map(({ lines, ...beat }) => ({ ...beat, monitoring_status: { lines } }));

/** Switched off: it shows what a channel looks like and tells nobody anything. */
export const channel = {
  name: 'on-call (example)',
  type: 'webhook',
  settings: { url: 'https://hooks.lumen.example/on-call' },
  filters: { workflows: ['shop.*'], labels: ['Offer', 'Website'] },
  on_success: 'change',
  on_failure: 'always',
  enabled: false,
};

/** One goes well, one fails for a reason that its error tells, one waits for somebody to approve it. */
export const workflows = [
  { project: 'example', name: 'ETL', payload: { count: 8 }, comment: 'three tasks, one after the other' },
  { project: 'example', name: 'RANDOMS', payload: {}, comment: 'three tasks at once' },
  {
    project: 'shop',
    name: 'ORDER',
    payload: { id: 'L-1041', total: 118.5, customer: 'ada@lumen.example', items: ['lamp', 'shade', 'bulb'] },
    comment: 'goes well',
  },
  {
    project: 'shop',
    name: 'ORDER',
    payload: { id: 'L-1042', total: 640, customer: 'bo@lumen.example', items: ['lamp', 'chandelier'] },
    comment: 'fails: something is sold out',
  },
  {
    project: 'shop',
    name: 'ORDER',
    payload: { id: 'L-1043', total: 2400, customer: 'cy@lumen.example', items: ['lamp', 'lamp', 'lamp', 'shade'] },
    comment: 'waits for somebody to approve it',
  },
];
