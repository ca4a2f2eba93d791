import { Link } from 'wouter';
import { Card } from '../../design/card.tsx';
import { EmptyState } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { nodePath } from '../../routing/paths.ts';
import { formatWholeDay } from '../figures.ts';
import { Percent, PercentChange } from '../percent.tsx';
import type { RunChanges } from '../qos-types.ts';

/** What a configuration that is only tried would change. */
export function TrialChanges({ teamId, day, changes }: { teamId: string; day: string; changes: RunChanges }) {
  const changed = changes.labels.filter(({ before, after, nodes_changed: count }) => before !== after || count > 0);
  const title = `What would change on ${formatWholeDay(day)}`;
  if (changed.length === 0) {
    return (
      <Card title={title}>
        <EmptyState icon="check" title="Nothing would change">
          All {changes.labels.length} labels have the same figures as before.
        </EmptyState>
      </Card>
    );
  }
  return (
    <>
      <Card title={title} isFlush>
        <Table
          label="Labels that would change"
          rows={changed}
          keyOf={({ label }) => label}
          columns={[
            { head: 'Label', cell: ({ label }) => <strong>{label}</strong> },
            { head: 'Figure', cell: (one) => <LabelChange {...one} /> },
            { head: 'Nodes changed', isNumber: true, cell: ({ nodes_changed: count }) => count.toLocaleString() },
          ]}
        />
        <p className="note small muted">
          {changes.labels.length - changed.length === 0
            ? 'No label stays as it is.'
            : `The other ${changes.labels.length - changed.length} stay as they are.`}
        </p>
      </Card>
      {changes.nodes.length > 0 && (
        <Card title="Nodes that would change most" isFlush>
          <Table
            label="Nodes that would change most"
            rows={changes.nodes}
            keyOf={({ label, name }) => `${label} ${name}`}
            columns={[
              {
                head: 'Node',
                cell: ({ label, name }) => (
                  <>
                    <Link className="wrap-anywhere" href={nodePath(teamId, label, name)}>
                      {name}
                    </Link>{' '}
                    <span className="small muted">{label}</span>
                  </>
                ),
              },
              { head: 'Figure', cell: ({ before, after }) => <PercentChange before={before} after={after} /> },
            ]}
          />
        </Card>
      )}
    </>
  );
}

function LabelChange({ before, after }: { before: number | null; after: number | null }) {
  return before === after ? <Percent value={after} /> : <PercentChange before={before} after={after} />;
}
