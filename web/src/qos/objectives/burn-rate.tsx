import type { Objective } from '../qos-types.ts';

/** How many times faster than allowed the budget is used up; 1 is exactly as fast. */
export function BurnRate({ rate }: { rate: Objective['budget']['burn_rate'] }) {
  const parts = [
    ['yesterday', rate.last_day],
    ['7 days', rate.last_week],
    ['all', rate.window],
  ] as const;
  return (
    <dl className="burn-rate numbers" title="1 uses up exactly the budget by the end of the window">
      {parts.map(([name, value]) => (
        <div key={name}>
          <dt className="small muted">{name}</dt>
          <dd className={value === null ? 'muted' : value > 1 ? 'percent-bad' : 'percent-good'}>
            {value === null ? '–' : `${value.toFixed(value < 10 ? 2 : 0)}×`}
          </dd>
        </div>
      ))}
    </dl>
  );
}
