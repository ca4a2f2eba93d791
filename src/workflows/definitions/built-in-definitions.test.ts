import { expect, test } from 'vitest';
import { qosWorkflows } from '../../qos/qos-workflow.ts';
import { compileBuiltIns } from './built-in-definitions.ts';
import { checkHome } from './home-check.ts';

const faultsOf = (text: string): string[] =>
  checkHome([{ path: 'workflows.yml', text }], 0).faults.map(({ message }) => message);

test('the workflows of the service compile, and are marked as its own', () => {
  const definitions = compileBuiltIns(qosWorkflows, 0);
  expect(definitions.map(({ fullname, isBuiltIn }) => [fullname, isBuiltIn])).toEqual([
    ['faultline.QOS', true],
    ['faultline.QOS_NIGHTLY', true],
  ]);
});

test("a home can neither define workflows in the service's project nor use its inner tasks", () => {
  expect(faultsOf('faultline.MINE: { tasks: [ { NAP: { run: sleep, with: { seconds: 1 } } } ] }')).toEqual([
    'The project "faultline" is the service\'s own; choose another name.',
  ]);
  expect(faultsOf('shop.A: { tasks: [ qos.plan ] }')[0]).toMatch(/There is no task "qos\.plan"/);
});

test('a home may compute quality, with arguments that are checked', () => {
  const withTeam = 'shop.A: { tasks: [ { Q: { run: qos.compute, with: { team: shop } } } ] }';
  expect(faultsOf(withTeam)).toEqual([]);
  expect(faultsOf(withTeam.replace('team: shop', 'day: yesterday'))).toHaveLength(1);
});
