import { api } from '../api/client.ts';
import { useChange } from '../api/hooks.ts';
import type { IntegrationTest } from '../api/types.ts';
import { Button } from '../design/button.tsx';
import { formatDuration } from '../design/duration.ts';
import { Outcome } from '../design/outcome.tsx';

type Imported = { accepted: number; unchanged: number; rejected: number };

/** Does it connect? And where it brings a graph: bring it now. */
export function IntegrationTry({ path, name, canImport }: { path: string; name: string; canImport: boolean }) {
  const check = useChange(() => api.post<IntegrationTest>(`${path}/test`));
  const bring = useChange(() => api.post<Imported>(`${path}/import`), ['/v1/teams/']);
  const busy = check.isPending || bring.isPending;
  return (
    <span className="row">
      <Button
        isSmall
        isBusy={check.isPending}
        disabled={busy}
        onClick={() => check.mutate()}
        aria-label={`Test ${name}`}
      >
        Test
      </Button>
      {canImport && (
        <Button
          isSmall
          isBusy={bring.isPending}
          disabled={busy}
          onClick={() => bring.mutate()}
          aria-label={`Import now: ${name}`}
        >
          Import now
        </Button>
      )}
      {!busy && check.data && (
        <Outcome isGood={check.data.ok}>{`${check.data.message} (${formatDuration(check.data.took_ms)})`}</Outcome>
      )}
      {!busy && check.error && <Outcome isGood={false}>{check.error.message}</Outcome>}
      {!busy && bring.data && (
        <Outcome isGood={bring.data.rejected === 0}>
          {`${bring.data.accepted.toLocaleString()} accepted, ${bring.data.unchanged.toLocaleString()} of them unchanged, ${bring.data.rejected.toLocaleString()} rejected`}
        </Outcome>
      )}
      {!busy && bring.error && <Outcome isGood={false}>{bring.error.message}</Outcome>}
    </span>
  );
}
