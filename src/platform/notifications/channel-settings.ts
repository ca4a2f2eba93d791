import { badRequest, type ErrorDetail } from '../../errors.ts';
import type { Secrets } from '../secrets.ts';
import { type ChannelType, channelTypes, type Settings } from './channel-types.ts';

/** Stands for a secret that is there, in answers; sent back, it means: leave it as it is. */
export const placeholder = '**********';

export type StoredSettings = {
  type: ChannelType;
  /** Without the secrets. */
  settings: Record<string, unknown>;
  /** Sealed, by field. */
  secrets: Record<string, string>;
};

/** Checks what somebody sent, and seals its secrets. `former` is what the channel has now, if there is one. */
export function sealSettings(
  type: ChannelType,
  given: Record<string, unknown>,
  former: StoredSettings | undefined,
  secrets: Secrets,
): StoredSettings {
  const { schema, secretFields, boundFields } = channelTypes[type];
  const kept = secretFields.filter((field) => given[field] === placeholder);
  const known = former?.type === type ? former : undefined;
  const missing = kept.filter((field) => known?.secrets[field] === undefined);
  if (missing.length > 0)
    refuse(
      missing.map((field) => ({ path: field, message: `stands for a secret that is not there; send the real one` })),
    );
  // Checked with the real secrets in place: a rule may be about two fields.
  const opened = Object.fromEntries(kept.map((field) => [field, openOrRefuse(field)]));
  const parsed = schema.safeParse({ ...given, ...opened });
  if (!parsed.success) refuse(parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })));
  const value = parsed.data as Record<string, unknown>; // every type's schema is one of an object
  const moved = kept.length > 0 ? boundFields.filter((field) => value[field] !== known?.settings[field]) : [];
  if (moved.length > 0)
    refuse(kept.map((field) => ({ path: field, message: `must be sent again when "${moved[0]}" changes` })));
  const isSecret = (field: string) => secretFields.includes(field);

  function openOrRefuse(field: string): string {
    try {
      return secrets.open(known?.secrets[field] ?? '');
    } catch {
      return refuse([{ path: field, message: 'cannot be opened with the present key of the service; send it again' }]);
    }
  }

  return {
    type,
    settings: Object.fromEntries(Object.entries(value).filter(([field]) => !isSecret(field))),
    secrets: Object.fromEntries(
      Object.entries(value).flatMap(([field, text]) => {
        if (!isSecret(field)) return [];
        const sealed = kept.includes(field) ? known?.secrets[field] : undefined;
        return [[field, sealed ?? secrets.seal(String(text))]];
      }),
    ),
  };
}

/** For people: secrets that are there show as the placeholder. */
export const showSettings = ({ settings, secrets }: StoredSettings): Record<string, unknown> => ({
  ...settings,
  ...Object.fromEntries(Object.keys(secrets).map((field) => [field, placeholder])),
});

/** For the sender alone. `secretTexts` are what must not be in anything that it tells. */
export function openSettings(
  { type, settings, secrets: sealed }: StoredSettings,
  secrets: Secrets,
): { setup: Settings; secretTexts: string[] } {
  const opened = Object.fromEntries(Object.entries(sealed).map(([field, text]) => [field, secrets.open(text)]));
  // Was checked by the schema of its type before it was stored.
  const setup = { type, settings: { ...settings, ...opened } } as Settings;
  return { setup, secretTexts: Object.values(opened) };
}

/** Servers may repeat what they were sent, also encoded: nothing of it goes into rows, logs or answers. */
export function withoutSecrets(text: string, secretTexts: string[]): string {
  let clean = text;
  for (const secret of secretTexts) {
    const base64 = Buffer.from(secret).toString('base64');
    for (const form of [secret, encodeURIComponent(secret), base64, base64.replace(/=+$/, '')]) {
      if (form !== '') clean = clean.replaceAll(form, placeholder);
    }
  }
  return clean;
}

function refuse(issues: ErrorDetail[]): never {
  const details = issues.map(({ path, message }) => ({ path: path === '' ? 'settings' : `settings.${path}`, message }));
  const [first] = details;
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : '';
  throw badRequest(`The field "${first.path}" is not acceptable: ${first.message}${more}.`, details);
}
