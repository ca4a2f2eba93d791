import type { Command } from 'commander';
import { parseWhole } from './arguments.ts';
import { addClientOptions } from './client-options.ts';
import { parseFullname, parseMoment, parseParameters, parseStatus } from './workflow-arguments.ts';
import { listDefinitions, listInstances } from './workflow-list.ts';
import { showLogs } from './workflow-logs.ts';
import { showInstance } from './workflow-show.ts';
import { approveTask, cancelInstance, runWorkflow, startAgain, switchSchedule } from './workflow-start.ts';
import { watch } from './workflow-watch.ts';

const idText = 'id of the instance, or as much of its beginning or end as no other has';
const taskText = "key or id of the task; a key is enough where it is the only one's";
const watchText = 'stay and draw how it goes; the exit code is 0 only if it succeeds';

export function addWorkflowCommand(program: Command): void {
  const command = program.command('workflow').description('start workflows, watch them run, and steer them');
  const add = (name: string, description: string) => addClientOptions(command.command(name).description(description));

  add('list', 'list instances, newest first')
    .option('--project <project>', 'only of this project')
    .option('--name <name>', 'only of workflows with this name')
    .option('--status <status>', 'only pending, progress, success, error or canceled', parseStatus)
    .option('--periodic', 'only those that a schedule started')
    .option('--no-periodic', 'only those that somebody started')
    .option('--since <time>', 'created at or after: 90m, 12h, 7d ago, a date, or a time', moment)
    .option('--until <time>', 'created at or before, in the same forms', moment)
    .option('--limit <count>', 'at most so many', parseWhole, 20)
    .addHelpText('after', listHelp)
    .action(listInstances);
  add('show', 'show one instance: its tasks as a graph, times, attempts and errors')
    .argument('<id>', idText)
    .option('--logs', 'also what its tasks logged')
    .addHelpText('after', '\nExamples:\n  faultline workflow show 7c41f9\n  faultline workflow show 7c41f9 --logs')
    .action(showInstance);
  add('run', 'start a workflow')
    .argument('<workflow>', 'PROJECT.NAME', parseFullname)
    .option('--payload <json>', 'an object, as JSON')
    .option('--payload-file <file>', 'a file with that; "-" is standard input')
    .option('-p, --parameter <key=value>', 'one key of the payload (repeatable)', parseParameters)
    .option('--comment <text>', 'why, for those who look at it later')
    .option('--idempotency-key <key>', 'asked again with the same key, no second instance starts')
    .option('--watch', watchText)
    .addHelpText('after', runHelp)
    .action(runWorkflow);
  add('watch', 'draw the graph of an instance while it runs')
    .argument('<id>', idText)
    .addHelpText('after', watchHelp)
    .action(watch);
  add('cancel', 'stop an instance: what waits is canceled at once, what runs is told to stop')
    .argument('<id>', idText)
    .option('--watch', 'stay and draw until it has stopped; the exit code is 0 only if it was canceled')
    .addHelpText('after', '\nExample:\n  faultline workflow cancel 7c41f9')
    .action(cancelInstance);
  add('retry', 'start again where it failed: a new instance that keeps the results of what succeeded')
    .argument('<id>', idText)
    .option('--watch', watchText)
    .addHelpText('after', '\nExample:\n  faultline workflow retry 7c41f9 --watch')
    .action(startAgain('retry', 'Started again'));
  add('relaunch', 'start again from the beginning: a new instance with the former payload and the current definition')
    .argument('<id>', idText)
    .option('--watch', watchText)
    .addHelpText('after', '\nExample:\n  faultline workflow relaunch 7c41f9')
    .action(startAgain('relaunch', 'Relaunched'));
  add('approve', 'let an instance go on that waits for a person')
    .argument('<id>', idText)
    .argument('<task>', taskText)
    .option('--watch', watchText)
    .addHelpText('after', '\nExample:\n  faultline workflow approve 7c41f9 SIGN_OFF')
    .action(approveTask);
  add('logs', 'print what a task logged')
    .argument('<id>', idText)
    .argument('<task>', taskText)
    .option('--follow', 'and what it logs from now on, until it ends')
    .addHelpText('after', '\nExample:\n  faultline workflow logs 7c41f9 EXTRACT --follow')
    .action(showLogs);
  add('definitions', 'list the workflows that there are')
    .addHelpText('after', '\nExample:\n  faultline workflow definitions')
    .action(listDefinitions);
  add('pause', 'let a schedule rest; what runs goes on')
    .argument('<workflow>', 'PROJECT.NAME')
    .addHelpText('after', '\nExample:\n  faultline workflow pause shop.REPORT')
    .action(switchSchedule('pause', (name) => `The schedule of ${name} is paused.`));
  add('resume', 'let a schedule start instances again')
    .argument('<workflow>', 'PROJECT.NAME')
    .addHelpText('after', '\nExample:\n  faultline workflow resume shop.REPORT')
    .action(switchSchedule('resume', (name) => `The schedule of ${name} goes on.`));
}

const moment = (text: string): string => parseMoment(text, Date.now());

const listHelp = `
Examples:
  faultline workflow list
  faultline workflow list --project shop --status error --since 24h
  faultline workflow list --no-periodic --limit 100 --json`;

const runHelp = `
A parameter that reads as JSON is JSON: total=3 is a number, 'id="3"' is text, tags='["a"]' is a list; anything else is text.
Parameters go over what --payload or --payload-file says.

Examples:
  faultline workflow run shop.ORDER -p id=A-7 -p total=3 --watch
  faultline workflow run shop.ORDER --payload '{"id": "A-7"}' --comment 'for the audit'
  generate | faultline workflow run shop.ORDER --payload-file - --idempotency-key order-A-7`;

const watchHelp = `
  ○ pending   ◐ running   ● success   ✗ error   ⊘ canceled

More than twelve tasks side by side are one line with their numbers. Where standard output is no terminal, each change is a
line; with --json, a line of JSON. Ctrl-C ends the watching, not the instance.
Exit codes: 0 it succeeded, 1 it failed or was canceled.

Example:
  faultline workflow watch 7c41f9`;
