import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';
import './states.css';

/** Nothing there: says why, and what to do next. */
export function EmptyState({
  title,
  icon,
  action,
  children,
}: {
  title: string;
  icon?: IconName;
  action?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="empty">
      {icon && <Icon name={icon} size={28} />}
      <h3>{title}</h3>
      {children && <p>{children}</p>}
      {action && <div className="row">{action}</div>}
    </div>
  );
}

/** What happened, and a way on. */
export function ErrorState({ error, onRetry, title }: { error: Error; onRetry?: () => void; title?: string }) {
  const details = error instanceof ApiError ? error.details : [];
  const requestId = error instanceof ApiError && error.status >= 500 ? error.requestId : null;
  return (
    <div className="problem" role="alert">
      <h3>
        <Icon name="warning" />
        {title ?? titleOf(error)}
      </h3>
      <p className="wrap-anywhere">{error.message}</p>
      {details.length > 0 && (
        <ul className="small">
          {details.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {requestId && (
        <p className="small muted">
          Request <code>{requestId}</code>: the log of the service says more about it.
        </p>
      )}
      {onRetry && (
        <Button isSmall icon="refresh" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

function titleOf(error: Error): string {
  if (!(error instanceof ApiError)) return 'Something went wrong on this page';
  switch (error.code) {
    case 'forbidden':
      return 'You may not see or do this';
    case 'not_found':
      return 'It is not there';
    case 'unreachable':
      return 'No connection';
    default:
      return error.status >= 500 ? 'The service failed' : 'That did not work';
  }
}

export function Loading({ label = 'Loading' }: { label?: string }) {
  return (
    <div className="skeleton" role="status">
      <span />
      <span />
      <span />
      <p className="unseen">{label}</p>
    </div>
  );
}

/** What a question to the service is at the moment: on its way, failed, or answered. Old data stay visible when a later try fails. */
export function Loaded<T>({
  query,
  children,
}: {
  query: UseQueryResult<T, ApiError>;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading />;
}

/** `value` from 0 to 1; without it nobody knows how long it takes. */
export function Progress({ value, label }: { value?: number | null; label: string }) {
  return (
    <div className="progress">
      <span className="small muted">
        {label}
        {typeof value === 'number' && ` ${Math.round(value * 100)} %`}
      </span>
      {typeof value === 'number' ? (
        <progress value={value} max={1} aria-label={label} />
      ) : (
        <progress aria-label={label} />
      )}
    </div>
  );
}
