import { Link } from 'wouter';
import { withQuery } from '../api/client.ts';
import { ButtonLink } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { ErrorState, Loading } from '../design/states.tsx';
import { Time } from '../design/time.tsx';
import { useSession } from '../identity/session.tsx';
import { useServices } from '../platform/use-services.ts';
import { platformPath } from '../routing/paths.ts';

/** Who has not been heard of for too long. */
export function StaleServices() {
  const { hasScope } = useSession();
  return (
    <Card
      title="Services"
      actions={
        <ButtonLink isSmall variant="ghost" href={platformPath('services')}>
          All services
        </ButtonLink>
      }
    >
      {hasScope('Service') ? <Stale /> : <p className="muted">To see services one needs the scope Service.</p>}
    </Card>
  );
}

function Stale() {
  const { services, error, isPending, refetch } = useServices();
  if (error) return <ErrorState error={error} onRetry={refetch} />;
  if (isPending) return <Loading />;
  const stale = services.filter(({ state }) => state === 'stale');
  const alive = services.length - stale.length;
  if (stale.length === 0) {
    return <p className="muted">{alive === 1 ? 'One is there, and it is alive.' : `All ${alive} are alive.`}</p>;
  }
  return (
    <ul className="overview-list" aria-label="Stale services">
      {stale.map(({ id, type, name, last_heartbeat: at }) => (
        <li key={id}>
          <Link className="wrap-anywhere" href={withQuery(platformPath('services'), { service: `${type}/${name}` })}>
            {name}
          </Link>
          <span className="muted small">{type}</span>
          <span className="small muted push">
            last heard <Time at={at} format="relative" />
          </span>
        </li>
      ))}
    </ul>
  );
}
