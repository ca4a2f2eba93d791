import type { InstanceTask } from '../../../src/workflows/workflows.schemas.ts';
import { Select } from '../design/field.tsx';
import { countStatuses, labelOf } from './status.ts';

/** Only those of one status; says how many there are of each. */
export function StatusSelect({
  label,
  tasks,
  value,
  onValue,
}: {
  label: string;
  tasks: readonly InstanceTask[];
  value: string;
  onValue: (value: string) => void;
}) {
  return (
    <Select
      label={label}
      isLabelUnseen
      value={value}
      onValue={onValue}
      options={[
        ['', `All ${tasks.length.toLocaleString()}`],
        ...[...countStatuses(tasks)].map(
          ([status, count]) => [status, `${labelOf(status)}: ${count.toLocaleString()}`] as const,
        ),
      ]}
    />
  );
}
