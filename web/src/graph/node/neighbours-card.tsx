import { Link } from 'wouter';
import { useApi } from '../../api/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { Card } from '../../design/card.tsx';
import { Pager } from '../../design/pager.tsx';
import { EmptyState, ErrorState, Loading } from '../../design/states.tsx';
import { nodePath } from '../../routing/paths.ts';
import { type NeighbourNode, type NeighbourPage, neighboursUrl } from '../graph-api.ts';
import { LabelMark } from '../label-mark.tsx';
import { pluralOf, useLabelColor } from '../labels.ts';
import { type Direction, keyOf, type NodeRef } from '../node-key.ts';
import { rangeOf } from './periods.ts';
import { type Range, TimeAxis, TimeBars } from './timeline.tsx';

const perPage = 15;
const texts = {
  dependencies: {
    title: 'It depends on',
    none: 'It depends on nothing',
    why: 'If everything else breaks, it does not.',
  },
  impacted: { title: 'Depends on it', none: 'Nothing depends on it', why: 'If it breaks, nothing else does at once.' },
} as const;

/** Direct neighbours in one direction, each with the times of its relationship. */
export function NeighboursCard({
  teamId,
  node,
  direction,
  label,
  page,
  now,
  onChange,
}: {
  teamId: string;
  node: NodeRef;
  direction: Direction;
  label: string;
  page: number;
  now: number;
  onChange: (label: string, page: number) => void;
}) {
  const range = { neighbourLabel: label === '' ? undefined : label, skip: (page - 1) * perPage, limit: perPage };
  const url = neighboursUrl(teamId, node, direction, { day: '', inactive: true }, range);
  const list = useApi<NeighbourPage>(url, { keepPrevious: true });
  const { title, none, why } = texts[direction];
  const groups = list.data?.groups ?? [];
  const total = groups.reduce((sum, group) => sum + (label === '' || group.label === label ? group.count : 0), 0);
  return (
    <Card title={title} isFlush>
      {list.error && <ErrorState error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {list.data && groups.length === 0 && <EmptyState title={none}>{why}</EmptyState>}
      {groups.length > 0 && (
        <>
          <div className="row node-chips" role="group" aria-label="Labels">
            {[{ label: '', count: groups.reduce((sum, { count }) => sum + count, 0) }, ...groups].map((group) => (
              <button
                key={group.label}
                type="button"
                className="chip"
                aria-pressed={group.label === label}
                onClick={() => onChange(group.label, 1)}
              >
                {group.label === '' ? (
                  'All'
                ) : (
                  <LabelMark teamId={teamId} label={group.label}>
                    {pluralOf(group.label, group.count)}
                  </LabelMark>
                )}
                <span className="numbers muted">{group.count.toLocaleString()}</span>
              </button>
            ))}
          </div>
          <Rows teamId={teamId} title={title} nodes={list.data?.nodes ?? []} now={now} />
          {total > perPage && (
            <Pager page={page} perPage={perPage} total={total} onPage={(next) => onChange(label, next)} />
          )}
        </>
      )}
    </Card>
  );
}

function Rows({
  teamId,
  title,
  nodes,
  now,
}: {
  teamId: string;
  title: string;
  nodes: readonly NeighbourNode[];
  now: number;
}) {
  const colorOf = useLabelColor(teamId);
  const range: Range = rangeOf(
    nodes.flatMap(({ periods }) => periods),
    now,
  );
  return (
    // A region that scrolls must be reachable without a pointer.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className="table-box" aria-label={title} tabIndex={0}>
      <table className="table neighbours">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">
              <span className="unseen">Periods</span>
              <TimeAxis range={range} now={now} />
            </th>
          </tr>
        </thead>
        <tbody>
          {nodes.map((one) => (
            <tr key={keyOf(one)}>
              <td>
                <Link className="wrap-anywhere" href={nodePath(teamId, one.label, one.name)}>
                  {one.name}
                </Link>
                <div className="row small muted">
                  <LabelMark teamId={teamId} label={one.label} />
                  {one.old && <Badge>not active</Badge>}
                </div>
              </td>
              <td>
                <TimeBars periods={one.periods} range={range} now={now} color={colorOf(one.label)} isOld={one.old} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
