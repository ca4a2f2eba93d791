import { IconButton } from './button.tsx';
import type { Column } from './table.tsx';

/** The last column of a table of things that can be edited and deleted; empty for those who may not. */
export const changeColumn = <Row extends { name: string }>(
  mayChange: boolean,
  onEdit: (row: Row) => void,
  onDelete: (row: Row) => void,
): Column<Row> => ({
  head: 'Change',
  isHeadUnseen: true,
  isNarrow: true,
  cell: (row) =>
    mayChange && (
      <span className="actions">
        <IconButton label={`Edit ${row.name}`} icon="edit" onClick={() => onEdit(row)} />
        <IconButton label={`Delete ${row.name}`} icon="trash" onClick={() => onDelete(row)} />
      </span>
    ),
});
