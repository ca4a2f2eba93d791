import { Button } from './button.tsx';
import './table.css';

/** Through a list that grows at its head: on to older entries, or back to the newest. Back in the browser goes one page up. */
export function OlderNewer({
  isFirst,
  next,
  onFirst,
  onNext,
}: {
  isFirst: boolean;
  /** Where the next page begins; null at the end. */
  next: number | null;
  onFirst: () => void;
  onNext: (next: number) => void;
}) {
  if (isFirst && next === null) return null;
  return (
    <nav className="pager" aria-label="Pages">
      <Button isSmall className="push" disabled={isFirst} onClick={onFirst}>
        Newest
      </Button>
      <Button isSmall disabled={next === null} onClick={() => next !== null && onNext(next)}>
        Older
      </Button>
    </nav>
  );
}
