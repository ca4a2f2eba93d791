import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { FaultlineError, StartupError } from '../errors.ts';
import { exportFormats } from '../graph/export.ts';
import { parseWhole } from './arguments.ts';
import { createClient, reasonOf } from './client.ts';
import { addClientOptions, type ClientOptions, clientConfig } from './client-options.ts';
import { writeDestination } from './destination.ts';
import { download } from './download.ts';
import { getTeam } from './lookup.ts';
import { describeBytes } from './progress.ts';

type ExportOptions = ClientOptions & {
  team: string;
  format: string;
  label?: string;
  name?: string;
  depth?: number;
  direction?: string;
  output: string;
};

export function addExportCommand(program: Command): void {
  addClientOptions(program.command('export').description("write a team's graph, or what lies around one of its nodes"))
    .requiredOption('--team <team>', 'name or id')
    .addOption(new Option('--format <format>', 'how').choices([...exportFormats]).default('ndjson'))
    .option('--label <label>', 'with --name: only what lies around this node')
    .option('--name <name>', 'with --label: only what lies around this node')
    .option('--depth <steps>', 'how far around it; 1 unless told', parseWhole)
    .addOption(
      new Option('--direction <direction>', 'which way; both unless told').choices([
        'dependencies',
        'impacted',
        'both',
      ]),
    )
    .option('-o, --output <file>', 'where to; it appears when it is complete', '-')
    .addHelpText('after', help)
    .action(exportGraph);
}

const help = `
NDJSON is what "faultline import" reads: exported and imported into an empty team it is the same graph again.

Examples:
  faultline export --team shop -o shop.ndjson
  faultline export --team shop | gzip > shop.ndjson.gz
  faultline export --team shop --format dot --label Website --name shop.example --depth 3 | dot -Tsvg > shop.svg
  faultline export --team shop --format mermaid --label Server --name db1 --direction impacted`;

async function exportGraph(options: ExportOptions): Promise<void> {
  const { format, label, name, depth, direction, output } = options;
  if ((label === undefined) !== (name === undefined))
    throw new StartupError('--label and --name belong together: they name one node.');
  if (label === undefined && (depth !== undefined || direction !== undefined))
    throw new StartupError('--depth and --direction are about one node; name it with --label and --name.');
  const config = clientConfig(options);
  const { id } = await getTeam(createClient(config), options.team);
  const query = new URLSearchParams({ format });
  if (label !== undefined) query.set('label', label);
  if (name !== undefined) query.set('name', name);
  if (depth !== undefined) query.set('depth', String(depth));
  if (direction !== undefined) query.set('direction', direction);
  const answer = await download(config, `/v1/teams/${id}/graph/export?${query.toString()}`);
  const bytes = await writeDestination(
    output,
    (sink) =>
      pipeline(answer, sink).catch((error: unknown) => {
        throw answer.complete ? error : brokenOff(error);
      }),
    { isForScreen: true, mode: 0o666 },
  );
  if (output === '-') return;
  const summary = options.json
    ? JSON.stringify({ file: output, bytes })
    : `The export is complete: ${describeBytes(bytes)} in ${output}.`;
  process.stdout.write(`${summary}\n`);
}

const brokenOff = (error: unknown) =>
  new FaultlineError(
    'unavailable',
    `The server broke off in the middle of the export (${reasonOf(error)}); try again.`,
  );
