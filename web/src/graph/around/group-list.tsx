import { useApi } from '../../api/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { IconButton } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { Pager } from '../../design/pager.tsx';
import { ErrorState, Loading } from '../../design/states.tsx';
import type { ExplorerState, Opening } from '../explorer-state.ts';
import { type NeighbourPage, neighboursUrl } from '../graph-api.ts';
import { LabelMark } from '../label-mark.tsx';
import { pluralOf } from '../labels.ts';

const perPage = 25;

/** All neighbours of one label, in pages: what a drawing of thousands could not show. */
export function GroupList({
  teamId,
  state,
  opening,
  label,
}: {
  teamId: string;
  state: ExplorerState;
  opening: Opening;
  label: string;
}) {
  const { change, page, when } = state;
  const { node, direction } = opening;
  const range = { neighbourLabel: label, skip: (page - 1) * perPage, limit: perPage };
  const list = useApi<NeighbourPage>(neighboursUrl(teamId, node, direction, when, range), { keepPrevious: true });
  const total = list.data?.groups.find((group) => group.label === label)?.count ?? 0;
  return (
    <Card
      title={
        <LabelMark teamId={teamId} label={label}>
          {total.toLocaleString()} {pluralOf(label, total)}
        </LabelMark>
      }
      actions={
        <IconButton label="Close the list" icon="close" isSmall onClick={() => change({ list: '', page: '1' })} />
      }
      isFlush
    >
      <p className="small muted wrap-anywhere" style={{ padding: '8px 16px 0' }}>
        {direction === 'impacted' ? `that depend on ${node.name}` : `that ${node.name} depends on`}
      </p>
      {list.error && <ErrorState error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      <ul className="panel-list" style={{ padding: 8 }}>
        {list.data?.nodes.map((one) => (
          <li key={one.name}>
            <button type="button" className="panel-row" onClick={() => state.centre({ label, name: one.name })}>
              <span className="wrap-anywhere">{one.name}</span>
              {one.old && <Badge>not active</Badge>}
            </button>
          </li>
        ))}
      </ul>
      <Pager page={page} perPage={perPage} total={total} onPage={(next) => change({ page: String(next) })} />
    </Card>
  );
}
