import { describeThreshold } from '../checks/threshold-words.ts';
import { Percent } from '../percent.tsx';
import type { Execution } from '../qos-types.ts';
import { StateBar } from '../state-bar.tsx';
import { PointsPlot } from './points-plot.tsx';

/** What a rule says about a node: its own time line, and under it each check with its points. */
export function ExecutionView({ execution }: { execution: Execution }) {
  const { start, end, checks } = execution;
  return (
    <div className="execution" role="group" aria-label={`What ${execution.rule.name} says about ${execution.name}`}>
      <section className="execution-part" aria-label={`Rule ${execution.rule.name}`}>
        <h3 className="row">
          {execution.rule.name} <Percent value={execution.value} coverage={execution.coverage} />
        </h3>
        <StateBar start={start} end={end} spans={execution.timeline} label={execution.rule.name} isTall />
        {execution.value === null && <p className="small muted">Nothing is known of this node on this day.</p>}
      </section>
      {checks.map((check) => (
        <section key={check.id} className="execution-part" aria-label={`Check ${check.name}`}>
          <h3 className="row">
            {check.name} <span className="small muted">good while {describeThreshold(check.threshold)}</span>
            <Percent value={check.value} coverage={check.coverage} />
          </h3>
          {check.failure !== null && <p className="outcome-bad small">{check.failure}</p>}
          <StateBar start={start} end={end} spans={check.timeline} label={check.name} />
          {check.series.length > 0 && <PointsPlot start={start} end={end} check={check} />}
          {check.query && <code className="small muted wrap-anywhere">{check.query}</code>}
        </section>
      ))}
    </div>
  );
}
