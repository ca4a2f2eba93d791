/** Does the work again and again, never twice at once. What it answers stops it, and waits for what is under way. */
export function repeatQuietly(
  everyMs: number,
  work: () => Promise<unknown>,
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  let underWay: Promise<void> | undefined;
  const timer = setInterval(() => {
    underWay ??= work()
      .then(() => undefined, onFailure)
      .finally(() => {
        underWay = undefined;
      });
  }, everyMs).unref();
  return async () => {
    clearInterval(timer);
    await underWay;
  };
}
