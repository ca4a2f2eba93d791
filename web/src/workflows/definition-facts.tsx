import type { DefinitionDetail } from '../../../src/workflows/workflows.schemas.ts';
import { Badge } from '../design/badge.tsx';
import { Card } from '../design/card.tsx';
import { formatSeconds } from '../design/duration.ts';
import { Facts } from './facts.tsx';
import { ScheduleWords } from './schedule.tsx';

/** When and under which rules it runs. */
export function DefinitionFacts({ definition }: { definition: DefinitionDetail }) {
  const { file, plan, overlap, timeout, priority, retention } = definition as DefinitionDetail & Policy; // the format says so
  const hooks = Object.entries(plan.hooks).flatMap(([when, hook]) =>
    hook ? [`${hook.key} (${hook.run === hook.key ? '' : `${hook.run}, `}${when})`] : [],
  );
  return (
    <Card title="How it runs">
      <Facts
        facts={[
          ['Schedule', <ScheduleWords key="schedule" definition={definition} />],
          overlap !== undefined && ['While another instance runs', overlapWords[overlap]],
          timeout !== undefined && ['Must end within', formatSeconds(timeout)],
          priority !== undefined && ['Priority', String(priority)],
          hooks.length > 0 && ['Hooks', hooks.join(', ')],
          retention && ['Finished instances are kept', keptWords(retention)],
          ['Written in', <code key="file">{file}</code>],
          [
            'Payload',
            definition.payload_schema === undefined ? 'anything' : <Badge key="schema">checked by a schema</Badge>,
          ],
        ]}
      />
    </Card>
  );
}

type Policy = {
  overlap?: 'allow' | 'skip' | 'queue' | 'replace';
  timeout?: number;
  priority?: number;
  retention?: { count?: number; offset?: number; days?: number };
};

const overlapWords = {
  allow: 'both run',
  skip: 'a new start is refused',
  queue: 'a new one waits for it',
  replace: 'a new one takes its place',
};

function keptWords({ count, offset, days }: NonNullable<Policy['retention']>): string {
  const most = count ?? offset;
  const words = [
    most !== undefined && most >= 0 && `the newest ${most.toLocaleString()}`,
    days !== undefined && `for ${days} ${days === 1 ? 'day' : 'days'}`,
  ].filter(Boolean);
  return words.length > 0 ? words.join(', ') : 'all';
}
