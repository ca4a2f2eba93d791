import '../around/drawing.css';
import { Card } from '../../design/card.tsx';
import { Checkbox } from '../../design/field.tsx';
import { EmptyState, ErrorState, Loading } from '../../design/states.tsx';
import type { ExplorerState } from '../explorer-state.ts';
import { exportFormats, exportUrl } from '../graph-api.ts';
import { LabelMark } from '../label-mark.tsx';
import { pluralOf, useLabels } from '../labels.ts';
import { GraphCanvas } from './graph-canvas.tsx';
import { useWholeGraph } from './use-whole-graph.ts';
import './whole.css';
import type { WholeGraph } from './whole.worker.ts';

/** Everything at once: labels as bands, the deepest at the bottom. */
export default function WholeView({ teamId, state }: { teamId: string; state: ExplorerState }) {
  const whole = useWholeGraph(teamId);
  const labels = useLabels(teamId);
  const { change, hidden, raw } = state;
  if (whole.error) return <ErrorState error={whole.error} onRetry={() => void whole.refetch()} />;
  if (!whole.data || !labels.data) return <Loading />;
  if (whole.data.nodes_count === 0) {
    return (
      <EmptyState icon="graph" title="This team has no graph yet">
        Send messages to <code>POST /v1/teams/{teamId}/graph</code>, or run <code>faultline import</code> with a file.
      </EmptyState>
    );
  }
  const toggle = (label: string, isOn: boolean): void => {
    const next = isOn ? hidden.filter((one) => one !== label) : [...hidden, label];
    change({ hide: next.join(' ') });
  };
  return (
    <div className="whole">
      <section className="card whole-main" aria-label="Drawing of the whole graph">
        <GraphCanvas
          whole={whole.data}
          labels={labels.data.map(({ name }) => name)}
          hidden={hidden}
          root={state.root}
          camera={raw.camera}
          onCamera={(camera) => change({ camera })}
          onNode={(node) => state.centre(node)}
        />
        <p className="whole-note small muted" role="status">
          {describe(whole.data)}
        </p>
      </section>
      <Card title="Labels">
        <ul className="stack whole-labels">
          {labels.data
            .filter(({ nodes_count }) => nodes_count > 0)
            .map(({ name, nodes_count }) => (
              <li key={name}>
                <Checkbox
                  label={
                    <LabelMark teamId={teamId} label={name}>
                      {pluralOf(name, nodes_count)}{' '}
                      <span className="numbers muted">{nodes_count.toLocaleString()}</span>
                    </LabelMark>
                  }
                  isChecked={!hidden.includes(name)}
                  onChecked={(isOn) => toggle(name, isOn)}
                />
              </li>
            ))}
        </ul>
        <h3 className="whole-export">Export all of it</h3>
        <p className="row small">
          {exportFormats.map((format) => (
            <a key={format} href={exportUrl(teamId, format)} download={`graph.${format}`}>
              {format}
            </a>
          ))}
        </p>
      </Card>
    </div>
  );
}

function describe(whole: WholeGraph): string {
  const shown = whole.name.length;
  const lines = whole.relationships.length / 2;
  const nodes =
    shown < whole.nodes_count
      ? `The ${shown.toLocaleString()} most connected of ${whole.nodes_count.toLocaleString()} nodes`
      : `${shown.toLocaleString()} nodes`;
  const relationships =
    lines < whole.relationships_count
      ? `${lines.toLocaleString()} of the ${whole.relationships_count.toLocaleString()} relationships between them`
      : `${lines.toLocaleString()} relationships`;
  return `${nodes}, ${relationships}. Click a node to see what is around it; the search above finds each of them.`;
}
