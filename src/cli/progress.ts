import { Transform } from 'node:stream';

export type ByteCounter = Transform & { bytes(): number; clear(): void };

/** Counts what flows through, and says so on standard error four times a second, if a person is looking at it. */
export function countBytes(
  verb: string,
  { totalBytes, isQuiet = false }: { totalBytes?: number; isQuiet?: boolean } = {},
): ByteCounter {
  let bytes = 0;
  const isWatched = process.stderr.isTTY && !isQuiet;
  const describe = () =>
    totalBytes ? `${Math.floor((bytes / totalBytes) * 100)} % of ${describeBytes(totalBytes)}` : describeBytes(bytes);
  const timer = isWatched ? setInterval(() => process.stderr.write(`\r\x1b[K${describe()} ${verb}`), 250) : undefined;
  timer?.unref();
  const clear = () => {
    clearInterval(timer);
    if (isWatched) process.stderr.write('\r\x1b[K');
  };
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  counter.once('close', clear);
  return Object.assign(counter, { bytes: () => bytes, clear });
}

export function describeBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${units[power - 1]}`;
}
