import { useRef } from 'react';
import { withQuery } from '../../api/client.ts';
import { useApi } from '../../api/hooks.ts';
import { Sparkline } from '../../design/sparkline.tsx';
import { floorOf } from '../chart-scale.ts';
import { formatPercent, meanOf } from '../figures.ts';
import type { History } from '../qos-types.ts';
import { useSeen } from '../use-seen.ts';

/** A label's figures of these days, small. */
export function LabelSparkline({ teamId, label, days }: { teamId: string; label: string; days: readonly string[] }) {
  const path = withQuery(`/v1/teams/${teamId}/qos`, { label, start: days[0], end: days.at(-1) });
  const box = useRef<HTMLDivElement>(null);
  const { data } = useApi<History>(useSeen(box) ? path : null, { staleMs: 60_000 });
  const byDay = new Map(data?.data.map((one) => [one.day, one.value]));
  const values = days.map((day) => byDay.get(day) ?? null);
  const mean = meanOf(values);
  return (
    <div ref={box} className="label-sparkline">
      {mean !== null && (
        <Sparkline
          values={values}
          min={floorOf(values)}
          max={100}
          label={`Quality of ${label} over ${days.length} days: ${formatPercent(mean)} on average`}
        />
      )}
    </div>
  );
}
