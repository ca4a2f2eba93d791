import { Link } from 'wouter';
import { withQuery } from '../../api/client.ts';
import { useApi } from '../../api/hooks.ts';
import { ButtonLink } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { EmptyState, Loaded } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { nodePath, qosPath } from '../../routing/paths.ts';
import { formatWholeDay } from '../figures.ts';
import { Percent } from '../percent.tsx';
import type { WorstNodes } from '../qos-types.ts';

const shown = 20;

/** The nodes of a label that did worst on a day, each with the way to its explanation. */
export function WorstNodesList({
  teamId,
  label,
  day,
  target,
}: {
  teamId: string;
  label: string;
  day: string;
  target?: number | undefined;
}) {
  const path = withQuery(`/v1/teams/${teamId}/qos/worst`, { label, day, limit: shown });
  const worst = useApi<WorstNodes>(path, { keepPrevious: true });
  return (
    <Card title={`Worst nodes on ${formatWholeDay(day)}`} isFlush>
      <Loaded query={worst}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState icon="quality" title="No node has a figure of this day">
              The day was not computed, or nothing was known of any node.
            </EmptyState>
          ) : (
            <Table
              label="Worst nodes"
              rows={data}
              keyOf={({ name }) => name}
              columns={[
                {
                  head: 'Node',
                  cell: ({ name }) => (
                    <Link className="wrap-anywhere" href={nodePath(teamId, label, name)}>
                      {name}
                    </Link>
                  ),
                },
                { head: 'Figure', isNumber: true, cell: ({ value }) => <Percent value={value} target={target} /> },
                {
                  head: 'Measured',
                  isNumber: true,
                  cell: ({ coverage }) => <span className="muted">{Math.floor(coverage * 10) / 10} %</span>,
                },
                {
                  head: 'Why',
                  isHeadUnseen: true,
                  isNarrow: true,
                  cell: ({ name }) => (
                    <ButtonLink
                      isSmall
                      variant="ghost"
                      icon="search"
                      href={withQuery(qosPath(teamId, '/explain'), { label, name, day })}
                    >
                      Explain<span className="unseen"> {name}</span>
                    </ButtonLink>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
