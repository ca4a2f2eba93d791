import { lazy, Suspense } from 'react';
import { PageHeader } from '../design/card.tsx';
import { Checkbox, Select, TextField } from '../design/field.tsx';
import { Loading } from '../design/states.tsx';
import { Segmented } from '../design/tabs.tsx';
import { useNow } from '../design/time.tsx';
import { AroundView } from './around/around-view.tsx';
import './explorer.css';
import { type ExplorerState, useExplorerState } from './explorer-state.ts';
import { ImpactedView } from './impacted/impacted-view.tsx';
import { LabelMark } from './label-mark.tsx';
import { NodeSearch } from './node-search.tsx';
import { Start } from './start.tsx';

const WholeView = lazy(() => import('./whole/whole-view.tsx'));

export function Explorer({ teamId }: { teamId: string }) {
  const state = useExplorerState();
  const { root, view, change } = state;
  return (
    <div className="page stack explorer">
      <PageHeader
        title={view === 'whole' || !root ? 'Explorer' : root.name}
        description={
          view === 'whole' || !root ? (
            'What depends on what, and what breaks with it.'
          ) : (
            <LabelMark teamId={teamId} label={root.label} />
          )
        }
      />
      <div className="explorer-bar">
        <NodeSearch teamId={teamId} onFound={(node) => state.centre(node, view)} />
        <Segmented
          label="View"
          value={view}
          options={[
            ['around', 'Around a node'],
            ['impacted', 'Impacted'],
            ['whole', 'Whole graph'],
          ]}
          onValue={(next) => change({ view: next, page: '1' }, { push: true })}
        />
        {view === 'around' && root && <AroundControls state={state} />}
      </div>
      {view === 'whole' ? (
        <Suspense fallback={<Loading />}>
          <WholeView teamId={teamId} state={state} />
        </Suspense>
      ) : root === undefined ? (
        <Start teamId={teamId} state={state} />
      ) : view === 'impacted' ? (
        <ImpactedView teamId={teamId} root={root} state={state} />
      ) : (
        <AroundView teamId={teamId} root={root} state={state} />
      )}
    </div>
  );
}

function AroundControls({ state: { raw, change, shown, when } }: { state: ExplorerState }) {
  const today = new Date(useNow()).toISOString().slice(0, 10);
  return (
    <>
      <Select
        label="Direction"
        isLabelUnseen
        value={shown}
        options={[
          ['both', 'Both directions'],
          ['dependencies', 'It depends on'],
          ['impacted', 'Depends on it'],
        ]}
        onValue={(dir) => change({ dir })}
      />
      <TextField
        label="Day (UTC)"
        isLabelUnseen
        type="date"
        value={raw.day === '' ? today : raw.day}
        onValue={(day) => change({ day: day === today ? '' : day })}
        title="The day in UTC whose relationships are shown"
      />
      <Checkbox
        label="Also inactive"
        isChecked={when.inactive}
        onChecked={(isOn) => change({ inactive: isOn ? '1' : '' })}
      />
    </>
  );
}
