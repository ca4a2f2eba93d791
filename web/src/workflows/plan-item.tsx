import { Link } from 'wouter';
import type { PlanItemView } from '../../../src/workflows/workflows.schemas.ts';
import { IconButton } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { formatSeconds } from '../design/duration.ts';
import { definitionPath } from './addresses.ts';
import { Facts } from './facts.tsx';

const kindWords: Record<PlanItemView['kind'], string> = {
  task: 'Task',
  foreach: 'A task for each element of a list',
  approval: 'Waits for a person',
  workflow: 'Another workflow',
};

/** All that the definition says about one item. */
export function PlanItemCard({ item, onClose }: { item: PlanItemView; onClose: () => void }) {
  const { key, kind, run, queue, when, over, concurrency, workflow, message, timeout, retry } = item;
  const isRun = kind === 'task' || kind === 'foreach';
  return (
    <Card title={key} actions={<IconButton isSmall icon="close" label="Close" onClick={onClose} />}>
      <Facts
        facts={[
          ['Kind', kindWords[kind]],
          isRun && ['Runs', <code key="run">{run}</code>],
          workflow !== null && [
            'Workflow',
            <Link key="workflow" href={definitionPath(workflow)}>
              {workflow}
            </Link>,
          ],
          over !== null && ['For each of', <code key="over">{over}</code>],
          over !== null && ['At once', concurrency === null ? 'all' : `at most ${concurrency}`],
          message !== null && ['Asks', message],
          when !== null && ['Only when', <code key="when">{when}</code>],
          isRun && ['Queue', queue],
          isRun && ['Attempts', retry.attempts === 1 ? 'one' : `up to ${retry.attempts}`],
          isRun && retry.attempts > 1 && ['Wait between attempts', waitWords(retry)],
          timeout !== null && ['Time-out', formatSeconds(timeout)],
        ]}
      />
    </Card>
  );
}

function waitWords({ delay, backoff, max_delay: maxDelay }: PlanItemView['retry']): string {
  const first = formatSeconds(delay);
  return backoff === 'fixed' ? first : `${first}, growing (${backoff}) up to ${formatSeconds(maxDelay)}`;
}
