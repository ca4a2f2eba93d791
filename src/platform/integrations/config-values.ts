import type { ErrorDetail } from '../../errors.ts';
import { compilePayloadSchema } from '../../workflows/definitions/payload-schema.ts';
import { passwordPlaceholder } from './integrations.schemas.ts';
import { type IntegrationModel, jsTypeOf } from './models.schemas.ts';

/** What a configuration is made of. Passwords are told from the rest by the model's `default_config`. */
export type ConfigValues = Record<string, string | number | boolean>;

type Settings = IntegrationModel['default_config'];

export const passwordKeys = (settings: Settings): string[] =>
  Object.keys(settings).filter((key) => settings[key].type === 'password');

/**
 * The configuration that results from what was sent: defaults filled in, placeholders replaced by what `findKept` has, empty passwords
 * left out. `complaints` is empty if it can be used.
 */
export function completeConfig(
  model: Pick<IntegrationModel, 'default_config' | 'config_schema'>,
  given: ConfigValues,
  findKept: (key: string) => string | undefined,
): { values: ConfigValues; complaints: ErrorDetail[] } {
  const settings = model.default_config;
  const values: ConfigValues = {};
  const complaints: ErrorDetail[] = [];
  for (const [key, { value }] of Object.entries(settings)) if (value !== '') values[key] = value;
  for (const [key, value] of Object.entries(given)) {
    const path = `config.${key}`;
    if (!Object.hasOwn(settings, key)) {
      complaints.push({ path, message: 'is not a setting of this model' });
      continue;
    }
    const { type } = settings[key];
    if (typeof value !== jsTypeOf(type)) complaints.push({ path, message: `must be a ${jsTypeOf(type)}` });
    else if (typeof value === 'string' && !isStorable(value)) {
      complaints.push({ path, message: `must be text of at most ${maxText} characters without control characters` });
    } else if (type === 'password' && value === passwordPlaceholder) {
      const kept = findKept(key);
      if (kept !== undefined) values[key] = kept;
      else complaints.push({ path, message: 'is the placeholder, but no password is stored; send the password' });
    } else if (type === 'password' && value === '') delete values[key];
    else values[key] = value;
  }
  if (complaints.length > 0) return { values, complaints };
  // Parsed and stored as JSON before: a schema that does not compile cannot be here.
  const validator = compilePayloadSchema(model.config_schema as Parameters<typeof compilePayloadSchema>[0]);
  if ('faults' in validator) return { values, complaints: [{ path: 'config', message: validator.faults[0].message }] };
  for (const { path, message } of validator.validate(values)) {
    complaints.push({ path: path === '' ? 'config' : `config.${path}`, message });
  }
  return { values, complaints };
}

const maxText = 20_000;

/** Line ends are welcome: certificates and queries have them. */
const isStorable = (text: string): boolean =>
  text.length <= maxText && text.isWellFormed() && !/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(text);

/** Addresses in a configuration, without what stands behind the host: a password is kept only for the place it was entered for. */
export function placesOf(settings: Settings, values: ConfigValues): string {
  return Object.keys(settings)
    .filter((key) => settings[key].type !== 'password' && /(^|_)(url|host|port|server|endpoint|address)$/.test(key))
    .toSorted()
    .map((key) => {
      const value = String(values[key] ?? '');
      return `${key}=${URL.parse(value)?.host ? URL.parse(value)?.origin : value}`;
    })
    .join(' ');
}
