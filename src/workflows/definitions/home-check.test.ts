import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Plan } from '../plan.ts';
import { formatFault } from './fault.ts';
import { checkHome, type HomeReport } from './home-check.ts';
import { readHome, stampHome } from './home-files.ts';

const tasks = { path: 'tasks/all.ts', text: 'export const A = 1; export { B, C, D, E, F };' };
const order = { path: 'schemas/order.json', text: '{"type":"object","required":["id"]}' };

const check = (workflows: string, ...files: { path: string; text: string }[]): HomeReport =>
  checkHome([tasks, order, { path: 'workflows.yml', text: workflows }, ...files], Date.UTC(2026, 10, 15));

/** The edges of a plan as "A>B", and the shape of what each item gets. */
const edges = ({ items }: Plan) =>
  items.flatMap(({ key, previous }) => previous.map((before) => `${items[before].key}>${key}`));
const shapes = ({ items }: Plan) => items.map(({ key, previousShape }) => `${key}:${previousShape}`);

function planOf(tasksText: string): Plan {
  const report = check(`p.W:\n  tasks: ${tasksText}\n`);
  expect(report.faults.map(formatFault)).toEqual([]);
  const plan = report.definitions.get('p.W')?.plan;
  if (!plan) throw new Error('no plan');
  return plan;
}

test.each<[string, string[], string[]]>([
  ['[A, B, C]', ['A>B', 'B>C'], ['A:none', 'B:one', 'C:one']],
  ['[A, A]', ['A>A'], ['A:none', 'A:one']],
  ['[A, G: { type: group, tasks: [B, C] }, D]', ['A>B', 'A>C', 'B>D', 'C>D'], ['A:none', 'B:one', 'C:one', 'D:list']],
  ['[G: { type: group, tasks: [A] }, B]', ['A>B'], ['A:none', 'B:list']],
  [
    '[G: { type: group, tasks: [A, B] }, H: { type: group, tasks: [C, D] }]',
    ['A>C', 'B>C', 'A>D', 'B>D'],
    ['A:none', 'B:none', 'C:list', 'D:list'],
  ],
  [
    '[A, G: { type: group, tasks: [B, K: { type: chain, tasks: [C, D] }] }, E]',
    ['A>B', 'A>C', 'C>D', 'B>E', 'D>E'],
    ['A:none', 'B:one', 'C:one', 'D:one', 'E:list'],
  ],
  ['[K: { type: chain, tasks: [A, B] }, C]', ['A>B', 'B>C'], ['A:none', 'B:one', 'C:one']],
  [
    '[K: { type: chain, tasks: [A, G: { type: group, tasks: [B, C] }] }, D]',
    ['A>B', 'A>C', 'B>D', 'C>D'],
    ['A:none', 'B:one', 'C:one', 'D:list'],
  ],
  ['[A, B: { needs: [] }, C: { needs: [A, B] }]', ['A>C', 'B>C'], ['A:none', 'B:none', 'C:list']],
  ['[A, B, C: { needs: [A] }, D]', ['A>B', 'A>C', 'C>D'], ['A:none', 'B:one', 'C:one', 'D:one']],
  ['[A: { needs: [C] }, B: { needs: [] }, C: { needs: [B] }]', ['B>C', 'C>A'], ['B:none', 'C:one', 'A:one']],
  [
    '[G: { type: group, tasks: [A, B] }, C, D: { needs: [G] }]',
    ['A>C', 'B>C', 'A>D', 'B>D'],
    ['A:none', 'B:none', 'C:list', 'D:list'],
  ],
  ['[G: { type: group, tasks: [A, B] }, C: { needs: [G, A] }]', ['A>C', 'B>C'], ['A:none', 'B:none', 'C:list']],
  ['[A, G: { type: group, needs: [], tasks: [B, C] }]', [], ['A:none', 'B:none', 'C:none']],
])('%s has the edges %j', (text, expectedEdges, expectedShapes) => {
  const plan = planOf(text);
  expect(edges(plan).toSorted()).toEqual(expectedEdges.toSorted());
  expect(shapes(plan)).toEqual(expectedShapes);
});

test('the example of the format compiles to the plan that it describes', () => {
  const report = check(`
p.ORDER:
  schema: order
  retry: { attempts: 4, delay: 2, backoff: linear, max_delay: 60 }
  timeout: 600
  overlap: skip
  priority: 5
  periodic: { crontab: "0 2 * * *", timezone: Europe/Paris, payload: { id: 1 }, missed: skip }
  hooks: { success: A, failure: B }
  retention: { count: 10, days: 3 }
  queue: { default: q, customs: { PAY: money } }
  tasks:
    - A
    - PAY: { type: task, run: http, with: { url: "https://x/{{payload.id}}" }, timeout: 30, when: payload.total > 0, retry: { attempts: 1 } }
    - EACH: { type: foreach, over: previous.items, task: C, concurrency: 10, with: { sku: "{{item.sku}}" } }
    - SIGN: { type: approval, timeout: 86400, message: "Sure, {{payload.name}}?" }
    - SUB: { type: workflow, workflow: p.OTHER, payload: "{ order: payload.id }" }
    - FAR: { remote: true, queue: own }
p.OTHER: { tasks: [A] }
`);
  expect(report.faults).toEqual([]);
  const plan = report.definitions.get('p.ORDER')?.plan;
  const retry = { attempts: 4, delaySeconds: 2, backoff: 'linear', maxDelaySeconds: 60 };
  expect(plan).toMatchObject({
    project: 'p',
    name: 'ORDER',
    fullname: 'p.ORDER',
    version: expect.stringMatching(/^[0-9a-f]{16}$/),
    timeoutSeconds: 600,
    overlap: 'skip',
    priority: 5,
    retention: { count: 10, days: 3 },
    schedule: { crontab: '0 2 * * *', timezone: 'Europe/Paris', payload: { id: 1 }, missed: 'skip' },
    payloadSchema: { type: 'object', required: ['id'] },
    hooks: { success: { key: 'A', run: 'A', queue: 'q', retry }, failure: { key: 'B' } },
    items: [
      { key: 'A', kind: 'task', run: 'A', queue: 'q', retry },
      {
        key: 'PAY',
        run: 'http',
        queue: 'money',
        timeoutSeconds: 30,
        when: 'payload.total > 0',
        retry: { attempts: 1, delaySeconds: 2 },
      },
      {
        key: 'EACH',
        kind: 'foreach',
        run: 'C',
        foreach: { over: 'previous.items', concurrency: 10 },
        with: { sku: '{{item.sku}}' },
      },
      { key: 'SIGN', kind: 'approval', run: 'approval', timeoutSeconds: 86_400, retry: { attempts: 1 } },
      {
        key: 'SUB',
        kind: 'workflow',
        run: 'workflow',
        workflow: { fullname: 'p.OTHER', payload: '{ order: payload.id }' },
      },
      { key: 'FAR', kind: 'task', run: 'FAR', queue: 'own' },
    ],
  });
});

test('without a word about them there are no retries; with one there are three attempts', () => {
  expect(planOf('[A]').items[0].retry.attempts).toBe(1);
  expect(planOf('[A: { retry: { delay: 5 } }]').items[0].retry).toMatchObject({ attempts: 3, delaySeconds: 5 });
  expect(planOf('[G: { type: group, retry: { attempts: 7 }, queue: g, tasks: [A] }]').items[0]).toMatchObject({
    queue: 'g',
    retry: { attempts: 7 },
  });
});

test('the version follows what runs, and nothing else', () => {
  const version = (text: string, ...files: { path: string; text: string }[]) =>
    check(text, ...files).definitions.get('p.W')?.plan.version;
  const base = version('p.W: { tasks: [A, B], schema: order }');
  expect(version('p.W:\n  # another look\n  schema: order\n  description: new\n  tasks: [A, B]\n')).toBe(base);
  expect(version('p.W: { tasks: [B, A], schema: order }')).not.toBe(base);
  expect(version('p.W: { tasks: [A, B], schema: order, timeout: 1 }')).not.toBe(base);
  expect(version('p.W: { tasks: [A, B], schema: order }', { ...order, text: '{"type":"object"}' })).not.toBe(base);
});

test.each<[string, string, string]>([
  ['p.W:\n  tasks: [A, NOPE]\n', '2:14', 'There is no task "NOPE"'],
  ['p.W:\n  tasks:\n    - X: { run: AA }\n', '3:17', 'Did you mean "A"?'],
  ['p.W:\n  tasks:\n    - X: {}\n', '3:7', 'There is no task "X"'],
  ['p.W:\n  tasks: [A]\n  taks: [A]\n', '3:3', 'Did you mean "tasks"?'],
  ['p.W:\n  timeout: 3\n', '1:1', 'needs "tasks"'],
  ['p.W:\n  tasks: []\n', '2:10', 'at least one task'],
  ['p.W:\n  tasks: A\n', '2:10', 'must be a list of tasks'],
  ['p.W: 3\n', '1:6', 'must be a mapping with "tasks"'],
  ['p.W:\n', '1:1', 'must be a mapping with "tasks"'],
  ['- p.W\n', '1:1', 'mapping of project.NAME'],
  ['W:\n  tasks: [A]\n', '1:1', 'a project and a name'],
  ['p.W:\n  tasks:\n    - A:\n', '3:7', 'write "- A"'],
  ['p.W:\n  tasks:\n    - X:\n      type: group\n', '3:7', 'indented enough'],
  ['p.W:\n  tasks:\n    - 3\n', '3:7', 'the name of a task, or one key'],
  ['p.W:\n  tasks:\n    - X: { type: grop, tasks: [A] }\n', '3:18', 'Did you mean "group"?'],
  ['p.W:\n  tasks:\n    - X: { tasks: [A] }\n', '3:7', 'say "type: group"'],
  ['p.W:\n  tasks:\n    - X: { run: A }\n    - X: { run: B }\n', '4:7', 'The key "X" is used twice'],
  ['p.W:\n  tasks: [A, A: { timeout: 3 }]\n', '2:14', 'The key "A" is used twice'],
  ['p.W:\n  tasks: [A, X: { run: B, needs: [AA] }]\n', '2:35', 'Did you mean "A"?'],
  ['p.W:\n  tasks: [A, A, X: { run: B, needs: [A] }]\n', '2:38', 'stands for 2 items'],
  ['p.W:\n  tasks: [X: { run: A, needs: [Y] }, Y: { run: B }]\n', '2:11', '"X" needs "Y" needs "X"'],
  ['p.W:\n  tasks: [X: { run: A, needs: [X] }]\n', '2:11', 'wait for each other'],
  ['p.W:\n  tasks: [X: { run: A, when: "payload.a >" }]\n', '2:42', 'cannot be read'],
  ['p.W:\n  tasks: [X: { run: A, when: payload.a + oops }]\n', '2:42', '"oops" is not known'],
  ['p.W:\n  tasks: [X: { run: A, when: item > 1 }]\n', '2:30', 'only in the "with" of a foreach'],
  ['p.W:\n  tasks: [X: { run: A, with: { a: ["x {{payload.b}} {{nope}}"] } }]\n', '2:55', '"nope" is not known'],
  ['p.W:\n  tasks: [X: { run: A, with: { a: "{{payload" } }]\n', '2:36', 'has no "}}"'],
  ['p.W:\n  tasks: [X: { run: http }]\n', '2:11', 'needs "url"'],
  ['p.W:\n  tasks: [X: { run: http, with: { url: "http://x", methd: GET } }]\n', '2:52', 'Did you mean "method"?'],
  ['p.W:\n  tasks: [X: { run: sleep, with: { seconds: soon } }]\n', '2:45', 'seconds'],
  ['p.W:\n  tasks: [X: { type: foreach, task: A }]\n', '2:11', 'needs "over"'],
  ['p.W:\n  tasks: [X: { type: workflow, workflow: p.NO }]\n', '2:42', 'There is no workflow "p.NO"'],
  ['p.W:\n  tasks: [X: { type: workflow, workflow: p.W }]\n', '2:42', 'p.W starts p.W'],
  ['p.W:\n  tasks: [A]\n  schema: ordr\n', '3:11', 'Did you mean "order"?'],
  ['p.W:\n  tasks: [A]\n  schema: { type: objct }\n', '3:19', 'not valid here'],
  ['p.W:\n  tasks: [A]\n  periodic: { interval: 0 }\n', '3:25', 'whole number from 1'],
  ['p.W:\n  tasks: [A]\n  periodic: {}\n', '3:3', 'either "interval"'],
  ['p.W:\n  tasks: [A]\n  periodic: { crontab: "61 * * * *" }\n', '3:24', 'not usable'],
  ['p.W:\n  tasks: [A]\n  periodic: { crontab: "0 0 30 2 *" }\n', '3:24', 'never comes'],
  ['p.W:\n  tasks: [A]\n  periodic: { crontab: "* * *" }\n', '3:24', 'five fields'],
  ['p.W:\n  tasks: [A]\n  periodic: { interval: 60, timezone: Mars/Base }\n', '3:39', 'no time zone'],
  [
    'p.W:\n  tasks: [A]\n  schema: order\n  periodic: { interval: 60, payload: { x: 1 } }\n',
    '4:29',
    'does not fit the schema',
  ],
  ['p.W:\n  tasks: [A]\n  hooks: { success: NOPE }\n', '3:21', 'There is no task "NOPE"'],
  ['p.W:\n  tasks: [A]\n  hooks: { sucess: A }\n', '3:12', 'Did you mean "success"?'],
  ['p.W:\n  tasks: [A]\n  overlap: sometimes\n', '3:12', 'one of allow, skip, queue, replace'],
  ['p.W:\n  tasks: [A]\n  retry: { attempts: many }\n', '3:22', 'whole number from 1 to 1000'],
  ['p.W:\n  tasks: [A]\n  queue: { defalt: x }\n', '3:12', 'Did you mean "default"?'],
  ['p.W:\n  tasks: [A]\n  tasks: [B]\n', '3:3', 'is there twice'],
])('%j is a fault at %s', (text, position, message) => {
  const report = check(text);
  expect(report.faults.map(({ line, column }) => `${line}:${column}`)).toEqual([position]);
  expect(report.faults[0].message).toContain(message);
  expect(report.definitions.size).toBe(0);
});

test('workflows that start each other are all told, each where it does so', () => {
  const report = check(
    'p.X: { tasks: [S: { type: workflow, workflow: p.Y }] }\np.Y: { tasks: [S: { type: workflow, workflow: p.X }] }\np.Z: { tasks: [S: { type: workflow, workflow: p.X }] }\n',
  );
  expect(report.faults.map(formatFault)).toEqual([
    'workflows.yml:1:47 This workflow starts itself: p.X starts p.Y starts p.X.',
    'workflows.yml:2:47 This workflow starts itself: p.Y starts p.X starts p.Y.',
  ]);
});

test('a fault in one definition spares the others, and a second definition of a name spares the first', () => {
  const other = { path: 'workflows/more.yml', text: 'p.GOOD: { tasks: [C] }\np.MORE: { tasks: [A] }\n' };
  const report = check('p.GOOD: { tasks: [A] }\np.BAD: { tasks: [NOPE] }\n', other);
  expect([...report.definitions.keys()]).toEqual(['p.GOOD', 'p.MORE']);
  expect(report.definitions.get('p.GOOD')?.file).toBe('workflows.yml');
  expect(report.faults.map(formatFault)).toEqual([
    expect.stringMatching(/^workflows\.yml:2:18 There is no task/),
    expect.stringMatching(/^workflows\/more\.yml:1:1 The workflow "p.GOOD" is already defined in workflows\.yml/),
  ]);
});

test('schemas, queues and remote tasks are checked too', () => {
  const report = check(
    'p.W: { tasks: [FAR], schema: bad }\n',
    { path: 'tasks/remote.yml', text: '- FAR\n' },
    { path: 'schemas/bad.json', text: '{\n  "type": "objct"\n}' },
    { path: 'schemas/broken.json', text: '{\n  "type": \n}' },
    { path: 'queues.yml', text: 'slow: { concurrency: 2, rate: 10/s }\nodd: { rate: fast }\n' },
  );
  expect(report.faults.map(formatFault)).toEqual([
    expect.stringMatching(/^queues\.yml:2:14 "odd.rate" of queues.yml must be a number a second/),
    expect.stringMatching(/^schemas\/bad\.json:2:11 The JSON Schema is not valid here/),
    expect.stringMatching(/^schemas\/broken\.json:3:1 This is not JSON/),
    expect.stringMatching(/^workflows\.yml:1:30 schemas\/bad\.json is not usable/),
  ]);
  const good = check('p.W: { tasks: [A] }', { path: 'queues.yml', text: 'slow: { concurrency: 2, rate: 100/m }\n' });
  expect(good.queues).toEqual(new Map([['slow', { concurrency: 2, rate: { count: 100, perSeconds: 60 } }]]));
});

test('a task that two files export is a fault as soon as a workflow uses it', () => {
  const double = { path: 'tasks/b.ts', text: 'export function A() {}\nexport function F() {}\n' };
  expect(check('p.W: { tasks: [A] }', double).faults.map(formatFault)).toEqual([
    'tasks/b.ts:1:17 The task "A" is exported by tasks/all.ts too; rename one of them.',
  ]);
});

test('a plan of too many items or dependencies is refused, and says so', () => {
  const list = (count: number) => Array.from({ length: count }, () => 'A').join(', ');
  const wide = check(
    `p.W: { tasks: [G: { type: group, tasks: [${list(320)}] }, H: { type: group, tasks: [${list(320)}] }] }`,
  );
  expect(wide.faults).toMatchObject([{ message: expect.stringContaining('100000 dependencies') }]);
  const long = check(`p.W: { tasks: [${list(10_001)}] }`);
  expect(long.faults).toMatchObject([{ message: expect.stringContaining('10000 items') }]);
  expect(check(`p.W: { tasks: [${list(10_000)}] }`).faults).toEqual([]);
});

test('a file of faults alone ends in a list that a person can read', () => {
  expect(check('a: 1\n'.repeat(3000)).faults).toMatchObject([
    { line: 1002, message: expect.stringContaining('more than 1000 faults') },
  ]);
  expect(check(`p.W: { tasks: [${'1,'.repeat(100_000)}] }`).faults).toHaveLength(1000);
});

test('what Celery Director documents loads unchanged', async () => {
  const home = fileURLToPath(new URL('../../../test/fixtures/director-home', import.meta.url));
  const report = checkHome(await readHome(home, await stampHome(home)), Date.now());
  expect(report.faults).toEqual([]);
  const plan = (name: string): Plan => {
    const found = report.definitions.get(`docs.${name}`)?.plan;
    if (!found) throw new Error(`There is no docs.${name}.`);
    return found;
  };
  expect(edges(plan('CHAIN'))).toEqual(['A>B', 'B>C']);
  expect(edges(plan('GROUP'))).toEqual(['A>B', 'A>C']);
  expect(edges(plan('TWICE'))).toEqual(['ROLL>SUM', 'ROLL>SUM']);
  expect(plan('EVERY_MINUTE').schedule).toEqual({ intervalSeconds: 60, timezone: 'UTC', payload: {}, missed: 'once' });
  expect(plan('EVERY_THREE_HOURS').schedule).toMatchObject({ crontab: '0 */3 * * *' });
  expect(plan('OLDER_SECONDS').schedule).toMatchObject({ intervalSeconds: 3600, payload: { user: false } });
  expect(plan('OLDER_CRONTAB').schedule).toMatchObject({ crontab: '15 4 * * *' });
  expect(plan('OLDER_MONDAYS').schedule).toMatchObject({ crontab: '15 4 * * 1' });
  expect(plan('QUEUE').items.map(({ queue }) => queue)).toEqual(['q1', 'q1']);
  expect(plan('QUEUES').items.map(({ queue }) => queue)).toEqual(['q2', 'q1', 'q3']);
  expect(plan('DEEP_SCHEMA').payloadSchema).toEqual(plan('SCHEMA').payloadSchema);
  expect(plan('HOOKS').hooks).toMatchObject({
    init: { run: 'STARTED' },
    failure: { run: 'FAILED' },
    success: { run: 'DONE' },
  });
  expect([plan('RETENTION').retention, plan('KEEP_ALL').retention]).toEqual([{ count: 2 }, undefined]);
  // Interface 2.9: interval and payload, whatever the file calls them.
  expect(report.definitions.get('docs.OLDER_SECONDS')?.source).toMatchObject({
    periodic: { interval: 3600, payload: { user: false } },
  });
  expect(report.definitions.get('docs.GROUP')?.source).toEqual({
    tasks: ['A', { PARALLEL: { type: 'group', tasks: ['B', 'C'] } }],
  });
});

test('the examples that come with the service have no fault', async () => {
  const home = fileURLToPath(new URL('../../../examples/home', import.meta.url));
  const report = checkHome(await readHome(home, await stampHome(home)), Date.now());
  expect(report.faults).toEqual([]);
  expect(report.definitions.size).toBeGreaterThanOrEqual(6);
});
