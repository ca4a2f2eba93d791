import type { ReactNode } from 'react';
import { Card } from '../../design/card.tsx';
import type { ImpactTotals } from '../graph-api.ts';
import { LabelMark } from '../label-mark.tsx';
import { pluralOf, useLabelColor } from '../labels.ts';

/** How many of each label, as bars that choose. */
export function Totals({
  teamId,
  totals,
  label,
  inactive,
  onLabel,
}: {
  teamId: string;
  totals: ImpactTotals;
  label: string | undefined;
  inactive: boolean;
  onLabel: (label: string | undefined) => void;
}) {
  const colorOf = useLabelColor(teamId);
  const countOf = (one: { count: number; active: number }): number => (inactive ? one.count : one.active);
  const most = Math.max(1, ...totals.groups.map(countOf));
  const row = (key: string | undefined, name: ReactNode, one: { count: number; active: number }, color?: string) => (
    <li key={key ?? 'all'}>
      <button type="button" className="total" aria-pressed={label === key} onClick={() => onLabel(key)}>
        <span className="total-name">{name}</span>
        <span className="numbers">{countOf(one).toLocaleString()}</span>
        {color !== undefined && (
          <span className="total-bar" aria-hidden="true">
            <span style={{ width: `${(countOf(one) / most) * 100}%`, background: color }} />
          </span>
        )}
      </button>
    </li>
  );
  return (
    <Card title="Totals">
      <ul className="panel-list">
        {row(undefined, 'All labels', totals)}
        {totals.groups.map((one) =>
          row(
            one.label,
            <LabelMark teamId={teamId} label={one.label}>
              {pluralOf(one.label, 2)}
            </LabelMark>,
            one,
            colorOf(one.label),
          ),
        )}
      </ul>
      <p className="small muted total-note">
        {totals.active.toLocaleString()} of {totals.count.toLocaleString()} are active then.
      </p>
    </Card>
  );
}
