import { withQuery } from '../../api/client.ts';
import { Button, ButtonLink } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { Select } from '../../design/field.tsx';
import { EmptyState } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { qosPath } from '../../routing/paths.ts';
import type { ConfigVersion } from '../qos-types.ts';
import { differenceOf } from './config-difference.ts';
import { DifferenceView } from './difference-view.tsx';
import { byLabel } from './draft.ts';

/** One version: how it differs from another one, and all that it says. */
export function VersionCard({
  teamId,
  version,
  configs,
  against,
  onAgainst,
  onApply,
}: {
  teamId: string;
  version: ConfigVersion;
  configs: readonly ConfigVersion[];
  /** Undefined: there was none before it. */
  against: ConfigVersion | undefined;
  onAgainst: (number: number) => void;
  onApply: (() => void) | undefined;
}) {
  const differences = differenceOf(against?.config ?? {}, version.config);
  const others = configs.filter(({ id }) => id !== version.id);
  return (
    <div className="stack">
      <Card
        title={`Version ${version.number}`}
        isFlush
        actions={
          <>
            <ButtonLink isSmall icon="copy" href={withQuery(qosPath(teamId, '/configuration'), { from: version.id })}>
              Edit a copy
            </ButtonLink>
            {onApply && (
              <Button isSmall variant="primary" icon="refresh" onClick={onApply}>
                Go back to it
              </Button>
            )}
          </>
        }
      >
        {against && (
          <div className="compare-with">
            <Select
              label="Compared with"
              value={String(against.number)}
              onValue={(number) => onAgainst(Number(number))}
              options={others.map(({ number, current }) => [
                String(number),
                `version ${number}${current ? ', in force' : ''}`,
              ])}
            />
          </div>
        )}
        {differences.length === 0 ? (
          <EmptyState icon="check" title="No difference" />
        ) : (
          <DifferenceView differences={differences} />
        )}
      </Card>
      <Card title="All of it" isFlush>
        <Table
          label={`Version ${version.number}`}
          rows={Object.entries(version.config).toSorted(byLabel)}
          keyOf={([label]) => label}
          columns={[
            { head: 'Label', isNarrow: true, cell: ([label]) => label },
            { head: 'Query', cell: ([, { qos }]) => <code className="wrap-anywhere">{qos}</code> },
          ]}
        />
      </Card>
    </div>
  );
}
