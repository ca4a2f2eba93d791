import { type Command, Option } from 'commander';
import { parseDelimiter, parseRenamings, parseWhole } from './arguments.ts';
import { createClient } from './client.ts';
import { addClientOptions, clientConfig } from './client-options.ts';
import { flatFields } from './csv-messages.ts';
import { openErrorsFile } from './import-errors.ts';
import { describeSummary, endWith, type ImportOptions, sayFirstFaults } from './import-outcome.ts';
import { checkOnly, type Destination, runImport, sendTo } from './import-run.ts';
import { openSources } from './import-source.ts';
import { getTeam } from './lookup.ts';
import { print } from './output.ts';

export function addImportCommand(program: Command): void {
  addClientOptions(program.command('import').description("bring messages into a team's graph, or take them back"))
    .requiredOption('--team <team>', 'name or id')
    .argument('[file...]', 'NDJSON or CSV, packed with gzip or not; - or none for standard input')
    .addOption(
      new Option('--format <format>', 'of all files; unless told .csv and .tsv are CSV, the rest NDJSON').choices([
        'ndjson',
        'csv',
      ]),
    )
    .option('--delimiter <character>', 'of CSV; a comma unless told, a tab in .tsv files', parseDelimiter)
    .option('--map <column=field>', 'a CSV column that has another name (repeatable)', parseRenamings)
    .option('--remove', 'take the messages back instead')
    .option('--errors <file>', 'write every rejected line to this file, as NDJSON: file, line, message, text')
    .option('--allow-errors', 'exit with 0 even if lines were rejected')
    .option('--skip-lines <count>', 'begin after so many lines of the first file', parseWhole, 0)
    .option('--dry-run', 'read and check everything, send nothing')
    .option('--progress', 'say how far it is every few seconds, also when standard error is not a terminal')
    .option('--retries <count>', 'how often to send again what got no answer', parseWhole, 6)
    .option('--lines-per-request <count>', 'at most so many lines in one request', parseWhole, 50_000)
    .addHelpText('after', help)
    .action(importFiles);
}

const help = `
NDJSON has one message a line, as POST /v1/teams/{team_id}/graph takes them. CSV has a header line; its columns are
  ${flatFields.slice(0, 4).join(', ')},
  ${flatFields.slice(4, 8).join(', ')},
  ${flatFields.slice(8).join(', ')}
Times are unix seconds; an empty cell is as good as none. Sending a message twice is harmless, so a command that broke off
can simply be run again, or go on with --skip-lines.

Examples:
  faultline import --team shop graph.ndjson
  faultline import --team shop --errors bad.ndjson exports/*.csv.gz
  faultline import --team shop --map app=source_name --map kind=source_label services.csv
  zcat graph.ndjson.gz | faultline import --team shop
  faultline import --team shop --remove wrong.ndjson`;

async function importFiles(files: string[], options: ImportOptions): Promise<void> {
  const sources = await openSources(files.length === 0 ? ['-'] : files);
  const errors = openErrorsFile(options.errors);
  try {
    const destination = options.dryRun ? checkOnly() : await openDestination(options);
    const outcome = await runImport(sources, options, destination, errors);
    print(describeSummary(outcome, options));
    sayFirstFaults(outcome);
    endWith(outcome, options);
  } finally {
    errors.close();
    for (const { stream } of sources) stream.destroy();
  }
}

async function openDestination(options: ImportOptions): Promise<Destination> {
  const config = clientConfig(options);
  const { id } = await getTeam(createClient(config), options.team);
  return sendTo(config, { method: options.remove ? 'DELETE' : 'POST', path: `/v1/teams/${id}/graph` });
}
