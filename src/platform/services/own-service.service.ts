import type { Log } from '../../db/open.ts';
import type { GivenLine } from './services.schemas.ts';
import type { ServicesService } from './services.service.ts';

const beatEveryMs = 15_000;

/** This process in its own registry, until it stops: type `api`, with lines that were true a moment ago. */
export function registerOwnService(deps: {
  services: Pick<ServicesService, 'beatOwn' | 'deleteOwn'>;
  /** host:pid */
  name: string;
  version: string;
  url: () => string | null;
  listLines: () => Promise<GivenLine[]>;
  log: Log;
}): { beatSoon(): void; stop(): Promise<void> } {
  const { services, name, log } = deps;
  let beating: Promise<void> | undefined;
  let isStopped = false;

  async function beat(): Promise<void> {
    const lines = await deps.listLines();
    const { version } = deps;
    await services.beatOwn({ type: 'api', name, version, url: deps.url(), monitoring_status: { lines } });
  }

  function beatOnce(): void {
    if (isStopped) return;
    beating ??= beat()
      .catch((error: unknown) => log.warn({ err: error }, 'this process could not say that it is alive'))
      .finally(() => {
        beating = undefined;
      });
  }

  const timer = setInterval(beatOnce, beatEveryMs).unref();
  beatOnce();
  return {
    /** Something is known now that was not before. */
    beatSoon: () => void (beating ?? Promise.resolve()).then(beatOnce),
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await beating;
      await services
        .deleteOwn('api', name)
        .catch((error: unknown) => log.warn({ err: error }, 'this process could not say that it is gone'));
    },
  };
}
