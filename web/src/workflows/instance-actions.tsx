import { useState } from 'react';
import { useLocation } from 'wouter';
import type { InstanceDetail, InstanceListItem } from '../../../src/workflows/workflows.schemas.ts';
import { api } from '../api/client.ts';
import { useChange } from '../api/hooks.ts';
import { Button } from '../design/button.tsx';
import { FormDialog } from '../design/dialog.tsx';
import { useToast } from '../design/toast.tsx';
import { useSession } from '../identity/session.tsx';
import { instancePath } from '../routing/paths.ts';
import { instancesOf } from './addresses.ts';
import { instanceApi } from './use-instance.ts';

type Verb = 'cancel' | 'delete';

/** What may be done with an instance, as its status allows. */
export function InstanceActions({ instance, isOver }: { instance: InstanceDetail; isOver: boolean }) {
  const { id, status, finished } = instance;
  const [asked, setAsked] = useState<Verb>();
  const [, navigate] = useLocation();
  const { complain } = useToast();
  const { hasScope } = useSession();
  const again = useChange(
    (verb: 'retry' | 'relaunch') => api.post<InstanceListItem>(`${instanceApi(id)}/${verb}`),
    ['/api/workflows?'],
  );
  if (!hasScope('Write')) return null;
  const runAgain = (verb: 'retry' | 'relaunch'): void =>
    again.mutate(verb, { onSuccess: (created) => navigate(instancePath(created.id)), onError: complain });
  const isBusy = (verb: string): boolean => again.isPending && again.variables === verb;
  return (
    <>
      {finished === null && (
        <Button icon="close" onClick={() => setAsked('cancel')}>
          Cancel
        </Button>
      )}
      {isOver && (
        <Button icon="trash" onClick={() => setAsked('delete')}>
          Delete
        </Button>
      )}
      <Button
        icon="refresh"
        isBusy={isBusy('relaunch')}
        title="All of it again, with the same payload and the definition as it is now"
        onClick={() => runAgain('relaunch')}
      >
        Relaunch
      </Button>
      {finished !== null && status !== 'success' && (
        <Button
          variant="primary"
          icon="play"
          isBusy={isBusy('retry')}
          title="What succeeded is kept; what did not runs again"
          onClick={() => runAgain('retry')}
        >
          Retry from failure
        </Button>
      )}
      {asked && <Sure verb={asked} instance={instance} onClose={() => setAsked(undefined)} />}
    </>
  );
}

const words = {
  cancel: {
    title: 'Cancel this instance?',
    text: 'What waits is canceled at once, what runs is asked to stop. Retry goes on later from where it stood.',
    submit: 'Cancel the instance',
    done: 'It is being canceled.',
  },
  delete: {
    title: 'Delete this instance?',
    text: 'Its results and logs go with it. There is no way back.',
    submit: 'Delete',
    done: 'The instance is gone.',
  },
};

function Sure({ verb, instance, onClose }: { verb: Verb; instance: InstanceDetail; onClose: () => void }) {
  const { id, project, name, fullname } = instance;
  const { title, text, submit, done } = words[verb];
  const { say } = useToast();
  const [, navigate] = useLocation();
  const path = instanceApi(id);
  const change = useChange(
    () => (verb === 'cancel' ? api.post(`${path}/cancel`) : api.delete(path)),
    verb === 'cancel' ? [path] : ['/api/workflows?'],
  );
  const act = (): void =>
    change.mutate(undefined, {
      onSuccess: () => {
        say(done);
        onClose();
        if (verb === 'delete') navigate(instancesOf({ project, name }));
      },
    });
  return (
    <FormDialog
      title={title}
      submit={submit}
      variant="danger"
      isBusy={change.isPending}
      error={change.error}
      onSubmit={act}
      onClose={onClose}
    >
      <p>
        <strong>{fullname}</strong>: {text}
      </p>
    </FormDialog>
  );
}
