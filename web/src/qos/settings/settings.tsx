import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useApi, useChange } from '../../api/hooks.ts';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { Checkbox } from '../../design/field.tsx';
import { MapField } from '../../design/map-field.tsx';
import { ErrorState, Loaded } from '../../design/states.tsx';
import { useToast } from '../../design/toast.tsx';
import type { QosSettings } from '../qos-types.ts';
import { useRights } from '../use-rights.ts';

/** What holds for all rules of the team. */
export function Settings({ teamId }: { teamId: string }) {
  const path = `/v1/teams/${teamId}/qos/settings`;
  const settings = useApi<QosSettings>(path);
  return <Loaded query={settings}>{(data) => <SettingsForm path={path} settings={data} />}</Loaded>;
}

function SettingsForm({ path, settings }: { path: string; settings: QosSettings }) {
  const [draft, setDraft] = useState(settings);
  const { mayManage } = useRights();
  const toast = useToast();
  const save = useChange(() => api.put<QosSettings>(path, draft), [path]);
  return (
    <Card title="Settings">
      <form
        className="stack settings-form"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(undefined, { onSuccess: () => toast.say('The settings are saved.') });
        }}
      >
        <MapField
          label="Variables"
          hint={
            <>
              Found in the queries of all checks as <code>{'{{ team.NAME }}'}</code>.
            </>
          }
          value={draft.variables}
          onChange={(variables) => setDraft({ ...draft, variables })}
          errors={save.error?.details ?? []}
          path="variables"
        />
        <Checkbox
          label="A dependency counts all day, however short its relationship was active on it"
          hint="Off: it counts for the seconds in which it was active."
          isChecked={draft.counts_whole_day}
          onChecked={(counts) => setDraft({ ...draft, counts_whole_day: counts })}
        />
        {save.error && <ErrorState error={save.error} />}
        <div className="row">
          <Button variant="primary" type="submit" isBusy={save.isPending} disabled={!mayManage}>
            Save
          </Button>
          {!mayManage && <span className="small muted">Managers of the team may change this.</span>}
        </div>
      </form>
    </Card>
  );
}
