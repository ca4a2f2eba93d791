import { describe, expect, it } from 'vitest';
import { parseMessage } from './message.ts';

const app = { label: 'App', name: 'shop' };
const db = { label: 'Database', name: 'db/1 "main"' };

describe('a message', () => {
  it.each<[unknown, unknown]>([
    [{ source: app }, { source: app }],
    [{ source: { ...app, props: { from: 1, to: null } }, extra: 1 }, { source: { ...app, from: 1, to: null } }],
    [
      { source: app, target: db },
      { source: app, target: db },
    ],
    [
      { source: app, target: db, rel: {} },
      { source: app, target: db, rel: {} },
    ],
    [
      { source: app, target: db, rel: { to: 200, from: 300 } },
      { source: app, target: db, rel: { from: 300, to: 200 } },
    ],
    [{ source_label: 'App', source_name: 'shop', source_to: null }, { source: { ...app, to: null } }],
    [
      {
        source_label: 'App',
        source_name: 'shop',
        target_label: 'Database',
        target_name: 'x',
        target_from: 0,
        rel_from: 5,
      },
      { source: app, target: { label: 'Database', name: 'x', from: 0 }, rel: { from: 5 } },
    ],
    [
      { source: app, target: app },
      { source: app, target: app },
    ],
    [{ source: { label: 'App', name: '😀'.repeat(1024) } }, { source: { label: 'App', name: '😀'.repeat(1024) } }],
  ])('%j is read', (value, message) => {
    expect(parseMessage(value)).toEqual(message);
  });

  it.each<[unknown, string]>([
    [null, 'a message must be a JSON object'],
    [[], 'a message must be a JSON object'],
    [{}, 'source_label is missing'],
    [{ source: 1 }, 'source must be an object'],
    [{ target: app }, 'source is missing'],
    [{ source: { label: 'App' } }, 'source.name is missing'],
    [
      { source: { label: 'app', name: 'x' } },
      'source.label must begin with a capital letter and contain only letters and digits',
    ],
    [{ source: { label: `A${'a'.repeat(255)}`, name: 'x' } }, 'source.label must have at most 255 characters'],
    [{ source: { label: 'App', name: '' } }, 'source.name must not be empty'],
    [{ source: { label: 'App', name: 'a\u0085b' } }, 'source.name must not contain control characters'],
    [{ source: { label: 'App', name: 'a\u007fb' } }, 'source.name must not contain control characters'],
    [{ source: { label: 'App', name: '\ud800' } }, 'source.name must be well-formed Unicode'],
    [{ source: { label: 'App', name: '😀'.repeat(1025) } }, 'source.name must have at most 1024 characters'],
    [{ source: app, rel: { from: 1 } }, 'rel needs a target'],
    [{ source: app, rel: {} }, 'rel needs a target'],
    [{ source: app, target: db, rel: 5 }, 'rel must be an object'],
    [{ source: app, target: db, rel: { from: 1.5 } }, 'rel.from must be a time in whole unix seconds, not negative'],
    [{ source: { ...app, props: { to: -1 } } }, 'source.props.to must be a time in whole unix seconds, not negative'],
    [{ source: { ...app, props: [] } }, 'source.props must be an object'],
    [{ source: app, target_label: 'App' }, 'source, target and rel may not be mixed with the flat target_label'],
    [{ source_label: 'App', source_name: 'x', rel_to: 3 }, 'rel_to needs a target'],
    [{ source_label: 'App', source_name: 'x', target_name: 'y' }, 'target_label is missing'],
    [
      { source_label: 'App', source_name: 'x', source_from: '5' },
      'source_from must be a time in whole unix seconds, not negative',
    ],
  ])('%j is refused', (value, sentence) => {
    expect(parseMessage(value)).toBe(sentence);
  });
});
