import { ButtonLink } from '../design/button.tsx';
import { EmptyState } from '../design/states.tsx';

export function NotFound() {
  return (
    <div className="page">
      <EmptyState
        icon="search"
        title="There is nothing at this address"
        action={
          <ButtonLink href="/" variant="primary">
            To the overview
          </ButtonLink>
        }
      >
        The link may be old, or a part of it was lost on the way.
      </EmptyState>
    </div>
  );
}
