import { expect, test } from 'vitest';
import type { Answer } from './model/protocol.ts';
import type { GraphQuery } from './model/query.ts';
import { createRememberedAnswers } from './remembered-answers.ts';

const count = (name: string): GraphQuery => ({ kind: 'impactedCount', label: 'Db', name });

function setUp(answer: () => Promise<Answer>) {
  const asked: string[] = [];
  const remembered = createRememberedAnswers((teamId, query) => {
    asked.push(`${teamId} ${'name' in query ? query.name : ''}`);
    return answer();
  });
  return { asked, remembered };
}

test('the same question about the same version is walked once, also while it is being walked', async () => {
  const { asked, remembered } = setUp(async () => ({ version: 1, isFound: true, value: 1 }));
  await Promise.all([remembered('t', 1, count('a')), remembered('t', 1, count('a'))]);
  await remembered('t', 1, count('a'));
  expect(asked).toEqual(['t a']);
});

test('another version, team or question is another answer', async () => {
  const { asked, remembered } = setUp(async () => ({ version: 1, isFound: true, value: 1 }));
  await remembered('t', 1, count('a'));
  await remembered('t', 2, count('a'));
  await remembered('u', 1, count('a'));
  await remembered('t', 1, count('b'));
  expect(asked).toEqual(['t a', 't a', 'u a', 't b']);
});

test('a failure is not remembered', async () => {
  let isBroken = true;
  const { remembered } = setUp(async () => {
    if (isBroken) throw new Error('broken');
    return { version: 1, isFound: true, value: 1 };
  });
  await expect(remembered('t', 1, count('a'))).rejects.toThrow('broken');
  isBroken = false;
  await expect(remembered('t', 1, count('a'))).resolves.toMatchObject({ isFound: true });
});

test('what is remembered has a bound', async () => {
  const { asked, remembered } = setUp(async () => ({ version: 1, isFound: true, bytes: new Uint8Array(20 * 2 ** 20) }));
  await remembered('t', 1, count('a'));
  await remembered('t', 1, count('b'));
  await remembered('t', 1, count('a'));
  expect(asked).toEqual(['t a', 't b', 't a']);
});
