import { useApi } from '../../api/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { Card } from '../../design/card.tsx';
import { Checkbox } from '../../design/field.tsx';
import { Pager } from '../../design/pager.tsx';
import { EmptyState, ErrorState, Loading } from '../../design/states.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { Time } from '../../design/time.tsx';
import { nodePath } from '../../routing/paths.ts';
import type { ExplorerState } from '../explorer-state.ts';
import { type ImpactedNode, type ImpactTotals, impactedUrl, impactUrl } from '../graph-api.ts';
import { LabelMark } from '../label-mark.tsx';
import { keyOf, type NodeRef } from '../node-key.ts';
import { ExportLinks } from './export-links.tsx';
import './impacted.css';
import { Link } from 'wouter';
import { MomentField } from './moment-field.tsx';
import { Totals } from './totals.tsx';

const perPage = 25;

/** What breaks with a node, to any depth, as of a moment. */
export function ImpactedView({ teamId, root, state }: { teamId: string; root: NodeRef; state: ExplorerState }) {
  const { change, ts, page, raw } = state;
  const inactive = raw.inactive === '1';
  const label = raw.of === '' ? undefined : raw.of;
  const totals = useApi<ImpactTotals>(impactUrl(teamId, root, ts), { keepPrevious: true });
  const question = { ts, label, inactive };
  const list = useApi<ImpactedNode[]>(
    impactedUrl(teamId, root, question, { skip: (page - 1) * perPage, limit: perPage }),
    { keepPrevious: true },
  );
  if (totals.error) return <ErrorState error={totals.error} onRetry={() => void totals.refetch()} />;
  if (!totals.data) return <Loading />;
  if (totals.data.count === 0) {
    return (
      <EmptyState icon="check" title={`Nothing depends on ${root.name}`}>
        If it breaks, no other node of this graph does.
      </EmptyState>
    );
  }
  const group = label === undefined ? totals.data : totals.data.groups.find((one) => one.label === label);
  const total = (inactive ? group?.count : group?.active) ?? 0;
  return (
    <div className="stack">
      <div className="filters">
        <MomentField ts={ts} onTs={(next) => change({ ts: next === undefined ? '' : String(next), page: '1' })} />
        <Checkbox
          label="Also what is not active then"
          isChecked={inactive}
          onChecked={(isOn) => change({ inactive: isOn ? '1' : '', page: '1' })}
        />
      </div>
      <div className="impacted">
        <Totals
          teamId={teamId}
          totals={totals.data}
          label={label}
          inactive={inactive}
          onLabel={(next) => change({ of: next ?? '', page: '1' })}
        />
        <Card title="Impacted nodes" actions={<ExportLinks {...{ teamId, root, question }} />} isFlush>
          {list.error ? (
            <ErrorState error={list.error} onRetry={() => void list.refetch()} />
          ) : total === 0 ? (
            <EmptyState title="None of them is active then">
              Choose another moment, or show inactive ones too.
            </EmptyState>
          ) : (
            <>
              <Table
                label="Impacted nodes"
                columns={columns(teamId, label)}
                rows={list.data ?? []}
                keyOf={(one) => keyOf({ label: one.label ?? label ?? '', name: one.name })}
              />
              <Pager page={page} perPage={perPage} total={total} onPage={(next) => change({ page: String(next) })} />
            </>
          )}
        </Card>
      </div>
    </div>
  );
}

function columns(teamId: string, label: string | undefined): Column<ImpactedNode>[] {
  const labelOf = (one: ImpactedNode): string => one.label ?? label ?? '';
  return [
    {
      head: 'Name',
      cell: (one) => (
        <Link className="wrap-anywhere" href={nodePath(teamId, labelOf(one), one.name)}>
          {one.name}
        </Link>
      ),
    },
    { head: 'Label', cell: (one) => <LabelMark teamId={teamId} label={labelOf(one)} />, isNarrow: true },
    {
      head: 'State',
      cell: (one) => (one.active ? <Badge tone="good">active</Badge> : <Badge>not active</Badge>),
      isNarrow: true,
    },
    { head: 'From', cell: (one) => (one.from === null ? '' : <Time at={new Date(one.from * 1000)} />), isNarrow: true },
    { head: 'To', cell: (one) => (one.to === null ? '' : <Time at={new Date(one.to * 1000)} />), isNarrow: true },
  ];
}
