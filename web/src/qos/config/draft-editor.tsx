import { useEffect, useState } from 'react';
import { api } from '../../api/client.ts';
import { useChange } from '../../api/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { Button, ButtonLink } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { EmptyState, ErrorState } from '../../design/states.tsx';
import { useToast } from '../../design/toast.tsx';
import { qosPath } from '../../routing/paths.ts';
import { useSearchState } from '../../routing/search-state.ts';
import type { ConfigVersion, TeamConfig } from '../qos-types.ts';
import { useRights } from '../use-rights.ts';
import { AddLabel } from './add-label.tsx';
import './config.css';
import { differenceOf, summaryOf } from './config-difference.ts';
import { faultsOf, toFaults } from './config-faults.ts';
import { DifferenceView } from './difference-view.tsx';
import { draftStore, toConfig, toRows } from './draft.ts';
import { DryRun } from './dry-run.tsx';
import { JsonDialog } from './json-dialog.tsx';
import { QueryField } from './query-field.tsx';

/** A query for each label; what is wrong is told while it is written, by the parser that the service uses. */
export function DraftEditor({
  teamId,
  current,
  begin,
  graphLabels,
  rules,
}: {
  teamId: string;
  /** Undefined: there is none yet. */
  current: ConfigVersion | undefined;
  /** What is in the editor at first. */
  begin: TeamConfig;
  graphLabels: string[];
  rules: string[];
}) {
  const [rows, setRows] = useState(() => toRows(begin, graphLabels));
  const [isAsJson, setIsAsJson] = useState(false);
  const [, changeAddress] = useSearchState({ from: '', trial: '' });
  const { mayManage, mayEdit } = useRights();
  const toast = useToast();
  const path = `/v1/teams/${teamId}/configs`;
  const config = toConfig(rows);
  const differences = differenceOf(current?.config ?? {}, config);
  const isChanged = differences.length > 0;
  useEffect(() => {
    if (isChanged) draftStore.write(teamId, config);
    else draftStore.drop(teamId);
  });

  const save = useChange(async () => {
    const { number } = await api.post<ConfigVersion>(path, config);
    // Here, and not when all is asked again: another version in force is another editor, and this one is gone then.
    draftStore.drop(teamId);
    changeAddress({ from: '', trial: '' });
    toast.say(`Version ${number} is in force. Days that are computed from now on use it.`);
  }, [path, `/v1/teams/${teamId}/labels`, `/v1/teams/${teamId}/statistics`]);
  const found = faultsOf(config, { graphLabels: new Set(graphLabels), rules: new Set(rules) });
  // What the service alone knows is shown until the next try.
  const faults = found.length > 0 ? found : toFaults(config, save.error?.details ?? []);
  const write = (label: string, qos: string): void => {
    if (save.error) save.reset();
    setRows(rows.map((row) => (row.label === label ? { label, qos } : row)));
  };
  const discard = (): void => {
    setRows(toRows(current?.config ?? {}, graphLabels));
    changeAddress({ from: '', trial: '' });
  };
  const known = { labels: rows.map(({ label }) => label), rules };
  return (
    <>
      <Card
        title={
          <span className="row">
            Configuration {current && <Badge tone="accent">version {current.number}</Badge>}
            {isChanged && <Badge tone="warn">{summaryOf(differences)}</Badge>}
          </span>
        }
        actions={
          <>
            <ButtonLink isSmall icon="clock" href={qosPath(teamId, '/configuration/versions')}>
              Versions
            </ButtonLink>
            <Button isSmall icon="copy" onClick={() => setIsAsJson(true)}>
              As JSON
            </Button>
            {isChanged && (
              <Button isSmall onClick={discard}>
                Discard
              </Button>
            )}
            {mayManage && (
              <Button
                isSmall
                variant="primary"
                icon="check"
                disabled={!isChanged || found.length > 0}
                isBusy={save.isPending}
                onClick={() => save.mutate()}
              >
                Save as the new version
              </Button>
            )}
          </>
        }
      >
        {rows.length === 0 && (
          <EmptyState icon="graph" title="The graph has no labels yet">
            Load a graph first, or add a label that will be in it.
          </EmptyState>
        )}
        <ul className="config-rows">
          {rows.map(({ label, qos }) => (
            <li key={label} className="config-row">
              <span className="config-label">
                <strong className="wrap-anywhere">{label}</strong>
                {!graphLabels.includes(label) && <span className="small muted">not in the graph</span>}
              </span>
              <QueryField
                label={label}
                value={qos}
                onValue={(next) => write(label, next)}
                faults={faults.filter((fault) => fault.label === label)}
                known={known}
                isReadOnly={!mayManage && !mayEdit}
              />
            </li>
          ))}
        </ul>
        {(mayManage || mayEdit) && (
          <AddLabel taken={known.labels} onAdd={(label) => setRows([...rows, { label, qos: '' }])} />
        )}
        {save.error && faults.length === 0 && <ErrorState error={save.error} />}
      </Card>
      {isAsJson && (
        <JsonDialog
          config={config}
          onTake={(next) => setRows(toRows(next, graphLabels))}
          onClose={() => setIsAsJson(false)}
        />
      )}
      {isChanged && (
        <Card title="What you changed" isFlush>
          <DifferenceView differences={differences} />
        </Card>
      )}
      {mayEdit && (
        <DryRun teamId={teamId} config={config} isUsable={found.length === 0 && Object.keys(config).length > 0} />
      )}
    </>
  );
}
