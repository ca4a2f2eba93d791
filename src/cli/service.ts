import type { Command } from 'commander';
import { type ServiceAnswer, serviceList, serviceTypes } from '../platform/services/services.schemas.ts';
import type { Answer, Client } from './client.ts';
import { addClientOptions, type ClientOptions, clientFor } from './client-options.ts';
import { describeList, printAnswer } from './output.ts';
import type { Column } from './table.ts';

const columns: Column<ServiceAnswer>[] = [
  { title: 'TYPE', value: (service) => service.type },
  { title: 'NAME', value: (service) => service.name },
  { title: 'STATE', value: (service) => service.state },
  { title: 'HEALTH', value: (service) => service.health },
  { title: 'VERSION', value: (service) => service.version ?? '-' },
  { title: 'REGION', value: (service) => service.region ?? '-' },
  { title: 'LAST BEAT (UTC)', value: (service) => service.last_heartbeat.slice(0, 19).replace('T', ' ') },
  { title: 'WORST LINE', value: worstLine },
];

const typeColumns: Column<{ type: string; alive: number; stale: number }>[] = [
  { title: 'TYPE', value: ({ type }) => type },
  { title: 'ALIVE', value: ({ alive }) => String(alive) },
  { title: 'STALE', value: ({ stale }) => String(stale) },
];

export function addServiceCommand(program: Command): void {
  const command = program.command('service').description('list the services that say they are alive, and delete them');

  addClientOptions(command.command('list', { isDefault: true }).description('list services, all or those of one type'))
    .argument('[type]', 'only those of this type')
    .addHelpText('after', '\nExamples:\n  faultline service list\n  faultline service list worker')
    .action(async (type: string | undefined, options: ClientOptions) => {
      const client = clientFor(options);
      const answer = type === undefined ? await listAll(client) : await listOf(client, type);
      const whenEmpty = type === undefined ? 'No services.' : `No services of the type ${type}.`;
      printAnswer(answer, options, (services) => describeList(columns, services, whenEmpty));
    });

  addClientOptions(command.command('types').description('list the types of services'))
    .addHelpText('after', '\nExample:\n  faultline service types')
    .action(async (options: ClientOptions) => {
      const answer = await clientFor(options).get('/services/types', serviceTypes);
      printAnswer(answer, options, (types) => describeList(typeColumns, types, 'No services.'));
    });

  addClientOptions(command.command('delete').description('delete a service; if it still beats, it comes back'))
    .argument('<type>', 'its type')
    .argument('<name>', 'its name')
    .addHelpText('after', '\nExample:\n  faultline service delete worker host-1:4711')
    .action(async (type: string, name: string, options: ClientOptions) => {
      const path = `/services/${encodeURIComponent(type)}/${encodeURIComponent(name)}`;
      const answer = await clientFor(options).delete(path);
      printAnswer(answer, options, () => `Deleted the service ${type} ${name}.`);
    });
}

const listOf = (client: Client, type: string): Promise<Answer<ServiceAnswer[]>> =>
  client.get(`/services/${encodeURIComponent(type)}`, serviceList);

async function listAll(client: Client): Promise<Answer<ServiceAnswer[]>> {
  const types = await client.get('/services/types', serviceTypes);
  const lists: ServiceAnswer[][] = [];
  for (const { type } of types.value) lists.push((await listOf(client, type)).value);
  const value = lists.flat();
  return { value, json: value, headers: types.headers };
}

function worstLine({ health, monitoring_status: { lines } }: ServiceAnswer): string {
  if (health === 'OK') return '-';
  const worst = lines.find(({ status }) => status === health);
  return worst ? `${worst.component}: ${worst.value}` : '-';
}
