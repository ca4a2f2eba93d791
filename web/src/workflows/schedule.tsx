import { useLocation } from 'wouter';
import type { InstanceListItem, WorkflowDefinition } from '../../../src/workflows/workflows.schemas.ts';
import { api } from '../api/client.ts';
import { useChange } from '../api/hooks.ts';
import { Badge } from '../design/badge.tsx';
import { Button } from '../design/button.tsx';
import { Time } from '../design/time.tsx';
import { useToast } from '../design/toast.tsx';
import { useSession } from '../identity/session.tsx';
import { instancePath } from '../routing/paths.ts';
import { describeSchedule } from './duration.ts';

const definitionApi = (fullname: string, verb: string): string =>
  `/api/definitions/${encodeURIComponent(fullname)}/${verb}`;

/** When it runs by itself. */
export function ScheduleWords({ definition }: { definition: WorkflowDefinition }) {
  const { periodic, next_run: nextRun, paused } = definition;
  if (!periodic) return <span className="muted">Only when started</span>;
  return (
    <span className="schedule-words">
      <span className="numbers">{describeSchedule(periodic)}</span>
      <span className="small muted">
        {paused && <Badge tone="warn">Paused</Badge>}
        {!paused && nextRun && (
          <>
            next <Time at={nextRun} format="relative" />
          </>
        )}
      </span>
    </span>
  );
}

/** Pause and resume. */
export function PauseButton({ definition, isSmall = false }: { definition: WorkflowDefinition; isSmall?: boolean }) {
  const { fullname, periodic, paused = false } = definition;
  const { say, complain } = useToast();
  const { hasScope } = useSession();
  const change = useChange((verb: 'pause' | 'resume') => api.post(definitionApi(fullname, verb)), ['/api/definitions']);
  if (!periodic || !hasScope('Write')) return null;
  const act = (): void =>
    change.mutate(paused ? 'resume' : 'pause', {
      onSuccess: () => say(paused ? `${fullname} runs by itself again.` : `${fullname} no longer runs by itself.`),
      onError: complain,
    });
  return (
    <Button isSmall={isSmall} isBusy={change.isPending} icon={paused ? 'play' : 'clock'} onClick={act}>
      {paused ? 'Resume' : 'Pause'}
      <span className="unseen"> the schedule of {fullname}</span>
    </Button>
  );
}

/** Once more now, with the payload of the schedule. */
export function RunNowButton({ definition }: { definition: WorkflowDefinition }) {
  const { fullname, periodic } = definition;
  const [, navigate] = useLocation();
  const { complain } = useToast();
  const { hasScope } = useSession();
  const run = useChange(() => api.post<InstanceListItem>(definitionApi(fullname, 'run')), ['/api/workflows']);
  if (!periodic || !hasScope('Write')) return null;
  const act = (): void =>
    run.mutate(undefined, { onSuccess: ({ id }) => navigate(instancePath(id)), onError: complain });
  return (
    <Button icon="refresh" isBusy={run.isPending} onClick={act} title="With the payload of its schedule">
      Run now
    </Button>
  );
}
