import { z } from 'zod';

/** Shapes that many routes share. The contract's "Everywhere" section is the source of the rules. */

const yes = new Set(['true', '1', 'yes', 'on', '']);
const no = new Set(['false', '0', 'no', 'off']);

/** `true 1 yes on` / `false 0 no off`, any case; a bare `?flag` is true. */
export const queryBoolean = (description: string) =>
  z
    .string('must be given once, as true or false')
    .transform((text, context) => {
      const value = text.toLowerCase();
      if (yes.has(value)) return true;
      if (no.has(value)) return false;
      context.addIssue({ code: 'custom', message: 'must be true, 1, yes, on, false, 0, no or off' });
      return z.NEVER;
    })
    .meta({ type: 'boolean', description });

/** Whole and not negative. Values beyond what a number holds exactly are cut to it: as a limit or an offset it means the same. */
export const queryInteger = (description: string) =>
  z
    .string('must be given once, as a whole number')
    .regex(/^\d+$/, 'must be a whole number, not negative')
    .transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER))
    .meta({ type: 'integer', minimum: 0, description });

export const queryText = (description: string) =>
  z
    .string('must be given once')
    .refine((text) => !hasControlCharacters(text), 'must be text without control characters')
    .meta({ description });

/** One line of text that the database can keep: no control characters, no halves of surrogate pairs, counted in characters. */
export const lineOfText = (max: number) =>
  z
    .string()
    .refine((text) => length(text) >= 1 && length(text) <= max, `must have 1 to ${max} characters`)
    .refine((text) => text.isWellFormed() && !hasControlCharacters(text), 'must be text without control characters')
    .meta({ minLength: 1, maxLength: max });

/** Text of several lines: tabs and line ends are welcome. */
export const longText = (max: number) =>
  z
    .string()
    .refine((text) => length(text) >= 1 && length(text) <= max, `must have 1 to ${max} characters`)
    .refine(
      (text) => text.isWellFormed() && !hasControlCharacters(text.replace(/[\t\n\r]/g, '')),
      'must be text without control characters',
    )
    .meta({ minLength: 1, maxLength: max });

/** 2026-11-15T02:08:00Z */
export const secondsTimestamp = z.string().meta({ format: 'date-time', example: '2026-11-15T02:08:00Z' });

/** 2026-11-15T02:08:00.123Z */
export const timestamp = z.string().meta({ format: 'date-time', example: '2026-11-15T02:08:00.123Z' });

export const toSecondsTimestamp = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;

export const emptyObject = z.object({}).meta({ description: 'An empty object' });

/**
 * A path parameter that may be anything: what is not a UUID is simply not found (see `isUuid`). A UUID may be written in capital letters
 * too; inside it is compared as text, so it is brought to the one form that the database gives.
 */
export const pathId = (description: string) => z.string().toLowerCase().meta({ format: 'uuid', description });

export const isPathId = (part: z.core.$ZodType): boolean => z.globalRegistry.get(part)?.format === 'uuid';

export const isUuid = (text: string): boolean => /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text);

export const errorBody = z
  .object({
    error: z.string().meta({ description: 'One of a short, closed list of codes', example: 'not_found' }),
    message: z.string().meta({ description: 'One sentence: what happened and what to do' }),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Error' });

const controlCharacters = /[\u0000-\u001f\u007f-\u009f]/;
const hasControlCharacters = (text: string): boolean => controlCharacters.test(text);

/** In characters, not in UTF-16 units; only strings near the limit pay for the exact count. */
const length = (text: string): number => (/[\ud800-\udfff]/.test(text) ? [...text].length : text.length);
