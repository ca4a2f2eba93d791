import { type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { Button, IconButton } from './button.tsx';
import './dialog.css';
import { ErrorState } from './states.tsx';

/** The browser's own modal dialog: it keeps the focus inside, closes with Escape, and gives the focus back. */
export function Dialog({
  title,
  onClose,
  children,
  isWide = false,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  isWide?: boolean;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog?.open) dialog?.showModal();
    // The browser would take the first button, which is the one that closes.
    const first = dialog?.querySelector<HTMLElement>(
      '.dialog-body :is(input, select, textarea, button):not(:disabled)',
    );
    (first ?? dialog)?.focus();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className={isWide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={id}
      tabIndex={-1}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header className="dialog-head">
        <h2 id={id}>{title}</h2>
        <IconButton label="Close" icon="close" className="push" onClick={onClose} />
      </header>
      {children}
    </dialog>
  );
}

/** A dialog with a form in it. It stays open, and says why, until `onSubmit` has succeeded; closing then is the caller's. */
export function FormDialog({
  title,
  submit,
  isBusy,
  error,
  onSubmit,
  onClose,
  children,
  isWide,
  variant = 'primary',
}: {
  title: string;
  /** What the button says. */
  submit: string;
  isBusy: boolean;
  error: Error | null;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
  isWide?: boolean;
  variant?: 'primary' | 'danger';
}) {
  const handle = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Dialog title={title} onClose={onClose} isWide={isWide ?? false}>
      <form onSubmit={handle} className="dialog-form">
        <div className="dialog-body stack">
          {children}
          {error && <ErrorState error={error} />}
        </div>
        <footer className="dialog-foot">
          <Button variant="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button variant={variant} type="submit" isBusy={isBusy}>
            {submit}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
