import type { ReactNode } from 'react';
import type { ApiError } from '../api/client.ts';
import { FormDialog } from './dialog.tsx';

/** Asks before something is gone. `change` is what `useChange` gave. */
export function Confirm<TInput>({
  title,
  submit,
  input,
  change,
  onClose,
  children,
}: {
  title: string;
  submit: string;
  input: TInput;
  change: {
    mutate: (input: TInput, on: { onSuccess: () => void }) => void;
    isPending: boolean;
    error: ApiError | null;
  };
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <FormDialog
      title={title}
      submit={submit}
      variant="danger"
      isBusy={change.isPending}
      error={change.error}
      onSubmit={() => change.mutate(input, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>{children}</p>
    </FormDialog>
  );
}
