import type { Readable } from 'node:stream';
import type { OutboundGuard } from '../../workflows/worker/outbound.ts';
import { exchangeGuarded, openGuarded } from '../../workflows/worker/outbound-request.ts';
import { SourceFailure } from './sources/metric-source.ts';
import { authorizationOf, describeFailure } from './sources/source-request.ts';

export type NdjsonUrlConfig = { url: string; token: string; user: string; password: string };

const lookAtBytes = 64 * 1024;
const timeoutMs = 20_000;

/** Looks at the beginning only. */
export async function testNdjsonUrl(
  config: NdjsonUrlConfig,
  guard: OutboundGuard,
  signal?: AbortSignal,
): Promise<string> {
  const options = { headers: authorizationOf(config), timeoutMs, maxBytes: lookAtBytes, cut: true, maxRedirects: 0 };
  const answer = await exchangeGuarded(config.url, options, guard, signal).catch((error: unknown) => {
    throw new SourceFailure(describeFailure(error, placeOf(config.url)), { cause: error });
  });
  if (answer.status !== 200) throw new SourceFailure(`${placeOf(config.url)} answered ${answer.status}.`);
  const line = answer.text.split('\n').find((line) => line.trim() !== '');
  if (line === undefined) return 'The address answers with nothing at present, which is no fault.';
  if (!isMessage(line)) {
    throw new SourceFailure('The first line there is not a message of the graph: a JSON object with "source".');
  }
  return 'The address answers with messages of the graph.';
}

/** All of it, as a stream. */
export function openNdjsonUrl(config: NdjsonUrlConfig, guard: OutboundGuard, signal: AbortSignal): Promise<Readable> {
  return openGuarded(config.url, guard, signal, authorizationOf(config)).catch((error: unknown) => {
    throw new SourceFailure(describeFailure(error, placeOf(config.url)), { cause: error });
  });
}

function isMessage(line: string): boolean {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === 'object' && message !== null && ('source' in message || 'source_label' in message);
  } catch {
    return false;
  }
}

/** Without its parameters. */
const placeOf = (url: string): string => url.split('?')[0];
