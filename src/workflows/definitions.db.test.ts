import { beforeAll, expect, test } from 'vitest';
import { startWorkflowApp, type WorkflowApp } from '../../test/harness/workflows.ts';

const workflows = `
t.ALL:
  description: One of each
  schema: { type: object, required: [ id ], properties: { id: { type: string } } }
  retry: { attempts: 2, delay: 3 }
  hooks: { failure: J }
  periodic: { crontab: "0 0 * * *", payload: { id: nightly } }
  tasks:
    - A
    - BOTH: { type: group, tasks: [ B, C ] }
    - OK: { type: approval, when: payload.id == "x", message: "Is {{payload.id}} right?" }
    - EACH: { type: foreach, over: payload.list, task: D, concurrency: 2, timeout: 9 }
    - SUB: { type: workflow, workflow: t.PLAIN }
t.PLAIN: { tasks: [ A ] }
`;

let app: WorkflowApp;
beforeAll(async () => {
  app = await startWorkflowApp({ workflows });
});

test('one definition comes with its file, its schema and the items that become tasks', async () => {
  const one = await app.arrange('GET', '/api/definitions/t.ALL');
  expect(one).toMatchObject({
    fullname: 't.ALL',
    description: 'One of each',
    file: 'workflows.yml',
    paused: false,
    payload_schema: { required: ['id'] },
  });
  expect(one.plan.hooks).toEqual({ failure: { key: 'J', run: 'J', queue: 'default' } });
  const items: { key: string; kind: string; previous: number[] }[] = one.plan.items;
  expect(items.map(({ key, kind, previous }) => [key, kind, previous])).toEqual([
    ['A', 'task', []],
    ['B', 'task', [0]],
    ['C', 'task', [0]],
    ['OK', 'approval', [1, 2]],
    ['EACH', 'foreach', [3]],
    ['SUB', 'workflow', [4]],
  ]);
  expect(items[3]).toMatchObject({ when: 'payload.id == "x"', message: 'Is {{payload.id}} right?' });
  expect(items[4]).toMatchObject({ over: 'payload.list', concurrency: 2, timeout: 9, run: 'D' });
  expect(items[4]).toMatchObject({ retry: { attempts: 2, delay: 3, backoff: 'exponential', max_delay: 300 } });
  expect(items[5]).toMatchObject({ workflow: 't.PLAIN' });
});

test('a plain definition has neither schema nor schedule', async () => {
  const one = await app.arrange('GET', '/api/definitions/t.PLAIN');
  expect(['payload_schema' in one, 'next_run' in one, 'paused' in one]).toEqual([false, false, false]);
});

test('a definition that is not there is 404', async () => {
  expect((await app.tryTo('GET', '/api/definitions/t.NONE')).status).toBe(404);
});
