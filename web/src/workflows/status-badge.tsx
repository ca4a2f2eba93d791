import { Badge } from '../design/badge.tsx';
import { labelOf, type ShownStatus, toneOf } from './status.ts';

export function StatusBadge({ status }: { status: ShownStatus }) {
  return (
    <Badge tone={toneOf(status)} dot>
      {labelOf(status)}
    </Badge>
  );
}
