/** Runs something later, and answers how to call that off. */
export type RunLater = (ms: number, run: () => void) => () => void;

/** Does not keep the process alive. */
export const runWithTimer: RunLater = (ms, run) => {
  const timer = setTimeout(run, ms).unref();
  return () => clearTimeout(timer);
};
