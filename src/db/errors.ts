/** PostgreSQL's error codes, as far as the code tells them apart. */

export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === '23505';

export const isForeignKeyViolation = (error: unknown): boolean => codeOf(error) === '23503';

/** The database is away, restarting or full: nothing that a changed request would mend. */
export function isDatabaseAway(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined)
    return (
      error instanceof Error &&
      /timeout exceeded when trying to connect|Connection terminated|embedded database/i.test(error.message)
    );
  return (
    /^(08|53|57P0)/.test(code) ||
    ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH'].includes(code)
  );
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
