import { useState } from 'react';
import type { InstanceDetail, InstanceTask } from '../../../src/workflows/workflows.schemas.ts';
import { api } from '../api/client.ts';
import { useChange } from '../api/hooks.ts';
import { Button } from '../design/button.tsx';
import { FormDialog } from '../design/dialog.tsx';
import { TextField } from '../design/field.tsx';
import { Icon } from '../design/icon.tsx';
import { useToast } from '../design/toast.tsx';
import { useSession } from '../identity/session.tsx';
import { shownStatus } from './status.ts';
import { instanceApi } from './use-instance.ts';

/** Whom it waits for: each approval that somebody has to give, on top of the page. */
export function Approvals({ instance }: { instance: InstanceDetail }) {
  const [asked, setAsked] = useState<InstanceTask>();
  const { hasScope } = useSession();
  const open = instance.tasks.filter((task) => shownStatus(task) === 'asks');
  if (open.length === 0 && !asked) return null;
  return (
    <>
      {open.map((task) => (
        <div key={task.id} className="asks">
          <Icon name="user" />
          <p className="wrap-anywhere">
            <strong>{task.key}</strong> waits for approval{task.message === null ? '.' : ': '}
            {task.message}
          </p>
          {hasScope('Write') && (
            <Button variant="primary" icon="check" className="push" onClick={() => setAsked(task)}>
              Approve…
            </Button>
          )}
        </div>
      ))}
      {asked && <ApproveDialog instance={instance} task={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function ApproveDialog({
  instance,
  task,
  onClose,
}: {
  instance: InstanceDetail;
  task: InstanceTask;
  onClose: () => void;
}) {
  const [comment, setComment] = useState('');
  const { say } = useToast();
  const path = instanceApi(instance.id);
  const approve = useChange(
    () => api.post(`${path}/tasks/${task.id}/approve`, comment.trim() === '' ? {} : { comment: comment.trim() }),
    [path],
  );
  const submit = (): void =>
    approve.mutate(undefined, {
      onSuccess: () => {
        say(`${task.key} is approved.`);
        onClose();
      },
    });
  return (
    <FormDialog
      title={`Approve ${task.key}`}
      submit="Approve"
      isBusy={approve.isPending}
      error={approve.error}
      onSubmit={submit}
      onClose={onClose}
    >
      {task.message !== null && <p className="wrap-anywhere">{task.message}</p>}
      <TextField
        label="Comment (optional)"
        hint="Kept with your name as the result of the task."
        value={comment}
        onValue={setComment}
        maxLength={1000}
      />
    </FormDialog>
  );
}
