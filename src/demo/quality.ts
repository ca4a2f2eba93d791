/** How the example measures itself: checks, the rules made of them, and how labels follow from other labels. */

export const sourceName = 'shop agents';

export const checks = {
  packetLoss: {
    name: 'packet loss',
    description: 'Percent of probes that the server did not answer',
    threshold: 20,
  },
  load: { name: 'load per core', description: 'Processes that want to run, for each core', threshold: 2 },
  disk: { name: 'disk used', description: 'Percent of the disk that holds the data', threshold: 95 },
  lag: { name: 'replication lag', description: 'Seconds that the second copy is behind', threshold: ':30' },
  inlet: { name: 'inlet temperature', description: 'Degrees Celsius of the air that goes in', threshold: '16:27' },
} as const;
export type CheckKey = keyof typeof checks;

export const rules: { name: string; description: string; checks: CheckKey[] }[] = [
  { name: 'Server answers', description: 'It answers, and has room to do so', checks: ['packetLoss', 'load'] },
  { name: 'Database healthy', description: 'It can write, and a second copy exists', checks: ['disk', 'lag'] },
  { name: 'Climate', description: 'The room is as cool as the machines need it', checks: ['inlet'] },
];

type Configuration = Record<string, { qos: string }>;

const configuration: Configuration = {
  Datacenter: { qos: 'rule.Climate' },
  Rack: { qos: 'operation.AND[Datacenter]' },
  Server: { qos: "rule.'Server answers'" },
  Pool: { qos: 'operation.RATIO(0.5)[Server]' },
  Database: { qos: "rule.'Database healthy'" },
  Api: { qos: 'operation.AND[Database, Pool]' },
  Application: { qos: 'operation.AND[Api]' },
  Offer: { qos: 'operation.AND[Application]' },
  Website: { qos: 'aggregation.AVERAGE[Offer]' },
};

/** Oldest first; the last one is in force. The first counted a pool as broken as soon as one of its servers was. */
export const configurations: Configuration[] = [
  { ...configuration, Pool: { qos: 'operation.AND[Server]' } },
  configuration,
];

export const objectives: Record<string, { target: number; window_days: number }> = {
  Website: { target: 99.5, window_days: 30 },
  // The bad day alone has used it up.
  Offer: { target: 99.9, window_days: 7 },
  Api: { target: 99.9, window_days: 7 },
  Database: { target: 99.9, window_days: 30 },
  Server: { target: 99, window_days: 30 },
};
