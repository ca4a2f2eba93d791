import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { InstanceDetail, Task } from './workflow-answers.ts';
import { parseMoment, parseParameters, payloadOf } from './workflow-arguments.ts';
import { countTasks } from './workflow-list.ts';
import { createLiveScreen, redraw } from './workflow-screen.ts';
import { parseEvents, type ServerEvent } from './workflow-sse.ts';
import { applyInstanceEvent, applyRead, applyTaskEvent } from './workflow-state.ts';

/** A terminal that knows what `redraw` uses: the cursor up, to the left, clear to the end of the line and of the screen. */
function createTerminal() {
  const rows: string[] = [''];
  let [row, column] = [0, 0];
  const put = (text: string) => {
    rows[row] =
      (rows[row] ?? '').padEnd(column).slice(0, column) + text + (rows[row] ?? '').slice(column + text.length);
    column += text.length;
  };
  return {
    rows,
    write(text: string) {
      for (const [, up, clear, mode, other] of text.matchAll(/\x1b\[(\d+)A|\x1b\[([KJ])|\x1b\[\?(\d+)[hl]|([\s\S])/g)) {
        if (up !== undefined) row -= Number(up);
        else if (clear !== undefined) {
          rows[row] = (rows[row] ?? '').slice(0, column);
          if (clear === 'J') rows.splice(row + 1);
        } else if (mode !== undefined) continue;
        else if (other === '\r') column = 0;
        else if (other === '\n') [row, column] = [row + 1, 0];
        else put(other ?? '');
      }
    },
  };
}

test('each frame takes the place of the one before, whatever their lines', () => {
  const frame = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 10 }), { minLength: 1, maxLength: 6 }); // biome-ignore format: one line
  fc.assert(
    fc.property(fc.array(frame, { minLength: 1, maxLength: 5 }), (frames) => {
      const terminal = createTerminal();
      let former: string[] = [];
      for (const next of frames) {
        terminal.write(redraw(former, next, 80));
        expect(terminal.rows.map((line) => line.trimEnd())).toEqual(next.map((line) => line.trimEnd()));
        former = next;
      }
    }),
  );
});

test('lines that a narrower terminal has broken count as several', () => {
  expect(redraw(['\x1b[2m0123456789\x1b[22m', 'x'], ['y'], 4)).toContain('\r\x1b[3A');
});

test('the cursor is hidden while it draws and back at the end, the same frame is not drawn twice, and signals are free again', () => {
  const written: string[] = [];
  const signalListeners = () => process.listenerCount('SIGINT') + process.listenerCount('exit');
  const before = signalListeners();
  const screen = createLiveScreen({ columns: 80, write: (text) => written.push(text) });
  screen.draw(['a']);
  screen.draw(['a']);
  expect(signalListeners()).toBe(before + 2);
  screen.finish(['a', 'b']);
  screen.stop();
  expect(written).toEqual(['\x1b[?25l', redraw([], ['a'], 80), redraw(['a'], ['a', 'b'], 80), '\n\x1b[?25h']);
  expect(signalListeners()).toBe(before);
});

test('events are the same however the stream is cut', async () => {
  const text =
    ': hello\r\n\r\nid: 1-0\nevent: task\ndata: {"ü": 1}\n\ndata: a\ndata:b\n\nevent: nothing\n\nid: 2-0\r\ndata: c\r\ndata: d\r\n\r\ndata: cut';
  const bytes = new TextEncoder().encode(text);
  const expected: ServerEvent[] = [
    { id: '1-0', event: 'task', data: '{"ü": 1}' },
    { id: '1-0', event: 'message', data: 'a\nb' },
    { id: '2-0', event: 'message', data: 'c\nd' },
  ];
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
      const places = [0, ...cuts.toSorted((one, other) => one - other), bytes.length];
      async function* chunks() {
        for (const [index, place] of places.slice(1).entries()) yield bytes.subarray(places[index], place);
      }
      const found: ServerEvent[] = [];
      for await (const event of parseEvents(chunks())) found.push(event);
      expect(found).toEqual(expected);
    }),
  );
});

const at = (second: number) => new Date(Date.UTC(2026, 10, 15, 2, 8, second)).toISOString();
const task = (more: Partial<Task> = {}): Task => ({ id: 't', key: 'A', previous: [], status: 'pending', created: at(0), updated: at(0), attempt: 1, ...more }); // biome-ignore format: one line
const detail = (tasks: Task[], more: Partial<InstanceDetail> = {}): InstanceDetail => ({
  id: 'i',
  project: 'p',
  name: 'N',
  fullname: 'p.N',
  status: 'progress',
  periodic: false,
  created: at(0),
  updated: at(0),
  tasks,
  ...more,
});
const event = (status: Task['status'], second: number, more: object = {}) => ({
  instance_id: 'i',
  task_id: 't',
  key: 'A',
  status,
  attempt: 1,
  at: at(second),
  ...more,
});

test('an event moves a task, progress is no news, and a failure is looked up soon', () => {
  const started = applyTaskEvent(detail([task()]), event('progress', 1));
  expect(started.state.tasks[0]).toMatchObject({ status: 'progress', started: at(1), finished: null });
  expect(started.changes).toHaveLength(1);
  const further = applyTaskEvent(started.state, event('progress', 2, { progress: 0.5 }));
  expect(further.state.tasks[0]).toMatchObject({ started: at(1), progress: 0.5 });
  expect(further.changes).toEqual([]);
  const again = applyTaskEvent(further.state, event('progress', 3, { attempt: 2 }));
  expect(again.state.tasks[0]).toMatchObject({ started: at(3), progress: null, attempt: 2 });
  expect(applyTaskEvent(again.state, event('error', 4))).toMatchObject({ read: 'soon', changes: [{ kind: 'task' }] });
});

test('late events, and events after the end, change nothing', () => {
  const known = detail([task({ status: 'progress', updated: at(5) })]);
  expect(applyTaskEvent(known, event('pending', 4)).state).toBe(known);
  const ended = detail([task({ status: 'success', updated: at(5) })]);
  expect(applyTaskEvent(ended, event('progress', 9)).state).toBe(ended);
});

test('an unknown task and the end of the instance are read at once', () => {
  expect(applyTaskEvent(detail([]), event('progress', 1)).read).toBe('now');
  expect(applyInstanceEvent(detail([]), { instance_id: 'i', status: 'success', at: at(1) }).read).toBe('now');
});

test('an answer that was overtaken by events takes nothing back', () => {
  const known = detail([task({ status: 'success', updated: at(5) })]);
  const old = detail([task({ status: 'progress', updated: at(3) })], { status: 'pending' });
  expect(applyRead(known, old)).toMatchObject({ state: { status: 'progress', tasks: [{ status: 'success' }] }, changes: [] }); // biome-ignore format: one line
  const whole = detail([task({ status: 'error', updated: at(4), error: { message: 'why' } })], { status: 'error' });
  const told = detail([task({ status: 'error', updated: at(5) })]);
  expect(applyRead(told, whole)).toMatchObject({ state: whole, changes: [{ kind: 'instance', status: 'error' }] });
});

test('what reads as JSON is JSON, and goes over the payload', () => {
  const parameters = ['total=3', 'id=007', 'text="3"', 'list=[1]', 'note=a=b', 'empty='].reduce<ReturnType<typeof parseParameters>>((former, text) => parseParameters(text, former), []); // biome-ignore format: one line
  expect(payloadOf({ text: '{"total": 1, "kept": true}', source: 'x' }, parameters)).toEqual({
    total: 3,
    kept: true,
    id: '007',
    text: '3',
    list: [1],
    note: 'a=b',
    empty: '',
  });
});

test('times are ago, or as they are', () => {
  const nowMs = Date.parse('2026-11-15T12:00:00Z');
  expect(['90m', '7d', '2026-11-01', '2026-11-01T12:00:00+01:00'].map((text) => parseMoment(text, nowMs))).toEqual([
    '2026-11-15T10:30:00.000Z',
    '2026-11-08T12:00:00.000Z',
    '2026-11-01T00:00:00.000Z',
    '2026-11-01T11:00:00.000Z',
  ]);
});

test('tasks inside groups and chains are counted', () => {
  expect(countTasks(['A', { G: { type: 'group', tasks: ['B', { C: { type: 'chain', tasks: ['D', 'E'] } }] } }])).toBe(
    4,
  );
});
