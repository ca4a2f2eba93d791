import { spawnSync } from 'node:child_process';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from '../src/cli/program.ts';
import { mainFile, runCommand } from './harness/command.ts';

const leaves = (command: Command, path: string[] = []): Array<{ path: string[]; command: Command }> =>
  command.commands.length === 0
    ? [{ path, command }]
    : command.commands.flatMap((each) => leaves(each, [...path, each.name()]));

const all = leaves(createProgram());

test.each(all.map(({ path, command }) => ({ name: path.join(' '), command })))(
  'faultline $name says what it does, explains every option, and shows an example',
  ({ name, command }) => {
    let text = '';
    command.configureOutput({ writeOut: (part) => void (text += part) });
    command.outputHelp();
    expect(command.description()).not.toBe('');
    expect(command.options.filter((option) => option.description === '')).toEqual([]);
    expect(command.registeredArguments.filter((argument) => argument.description === '')).toEqual([]);
    expect(text).toMatch(new RegExp(`Examples?:\\n(.*\\n)*  .*faultline ${name}`));
  },
);

test('help is asked for: standard output and exit code 0; nothing is asked for: standard error and 2', async () => {
  const [asked, unasked] = await Promise.all([runCommand(['--help']), runCommand([])]);
  expect(asked).toMatchObject({ code: 0, stderr: '' });
  expect(unasked).toMatchObject({ code: 2, stdout: '' });
  expect(unasked.stderr).toContain('Usage: faultline');
});

test('an older Node is told so in one sentence, before anything else is loaded', () => {
  const pretend = `Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })`;
  const options = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...options, mainFile, 'serve'], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/^Faultline needs Node 24 or newer; this is v\S+\.\n$/);
});
