import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redact } from './redact.ts';

test('a secret is hidden in every coat, and also cut in half', () => {
  const secret = "s3cret'value/with+signs";
  const said = [
    `Invalid token ${secret}.`,
    `q=${encodeURIComponent(secret)}&x`,
    `'${encodeURIComponent(secret).replaceAll("'", '%27')}' STORE`,
    `"${Buffer.from(secret).toString('base64')}"`,
    `cut: ${secret.slice(0, 9)}`,
    `cut: ${secret.slice(7)}`,
  ];
  for (const text of said) {
    const shown = redact(text, [secret]);
    expect(shown).toContain('**********');
    expect(shown).not.toMatch(/s3cret|value|signs|czNjcmV0/);
  }
  expect(redact('Prometheus answered a query.', [secret, ''])).toBe('Prometheus answered a query.');
});

test('no six characters of a secret in a row are left', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 6 }), fc.string(), fc.string(), (secret, before, after) => {
      const shown = redact(before + secret + after, [secret])
        .split('**********')
        .join('\u0000');
      for (let at = 0; at + 6 <= secret.length; at++) expect(shown).not.toContain(secret.slice(at, at + 6));
    }),
  );
});
