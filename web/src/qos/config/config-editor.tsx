import { useApi } from '../../api/hooks.ts';
import type { Label } from '../../api/types.ts';
import { ErrorState, Loading } from '../../design/states.tsx';
import { useSearchState } from '../../routing/search-state.ts';
import type { ConfigVersion, Rule, TeamConfig } from '../qos-types.ts';
import { draftStore } from './draft.ts';
import { DraftEditor } from './draft-editor.tsx';

const nothing: TeamConfig = {};

/** Loads what the editor needs: the current configuration, or the version that shall be edited, and what queries may name. */
export function ConfigEditor({ teamId }: { teamId: string }) {
  const path = `/v1/teams/${teamId}`;
  const [{ from }] = useSearchState({ from: '' });
  const current = useApi<ConfigVersion>(`${path}/configs/current`, { staleMs: 0 });
  const base = useApi<ConfigVersion>(from === '' ? null : `${path}/configs/${from}`);
  const labels = useApi<Label[]>(`${path}/labels`);
  const rules = useApi<{ rules: Rule[] }>(`${path}/rules`);
  const hasNone = current.error?.status === 404;
  const error = (hasNone ? null : current.error) ?? base.error ?? labels.error ?? rules.error;
  if (error) return <ErrorState error={error} />;
  const isReady = (current.data || hasNone) && labels.data && rules.data && (from === '' || base.data);
  if (!isReady || !labels.data || !rules.data) return <Loading />;
  const draft = base.data?.config ?? draftStore.read(teamId) ?? current.data?.config ?? nothing;
  return (
    <DraftEditor
      // Another version in force, or another one to begin with, is another editor.
      key={`${current.data?.id} ${from}`}
      teamId={teamId}
      current={current.data}
      begin={draft}
      graphLabels={labels.data.map(({ name }) => name)}
      rules={rules.data.rules.map(({ name }) => name)}
    />
  );
}
