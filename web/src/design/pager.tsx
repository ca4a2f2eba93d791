import { Button } from './button.tsx';
import './table.css';

/** Steps through pages that are counted from 1; says which rows these are, and of how many. */
export function Pager({
  page,
  perPage,
  total,
  onPage,
}: {
  page: number;
  perPage: number;
  total: number;
  onPage: (page: number) => void;
}) {
  const last = Math.max(1, Math.ceil(total / perPage));
  const first = Math.min((page - 1) * perPage + 1, total);
  return (
    <nav className="pager" aria-label="Pages">
      <span className="numbers">
        {total === 0 ? 'None' : `${first.toLocaleString()} to ${Math.min(page * perPage, total).toLocaleString()}`} of{' '}
        {total.toLocaleString()}
      </span>
      <Button isSmall className="push" icon="chevronLeft" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        Previous
      </Button>
      <Button isSmall disabled={page >= last} onClick={() => onPage(page + 1)}>
        Next
      </Button>
    </nav>
  );
}
