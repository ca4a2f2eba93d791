import { useState } from 'react';
import { Link } from 'wouter';
import { withQuery } from '../api/client.ts';
import { useApi } from '../api/hooks.ts';
import { IconButton } from '../design/button.tsx';
import { EmptyState, ErrorState, Loading } from '../design/states.tsx';
import { nodePath, qosPath } from '../routing/paths.ts';
import { causesOf } from './causes.ts';
import './explanation-tree.css';
import { clockOf, formatSeconds, formatWholeDay, unixStartOf } from './figures.ts';
import { LostTime } from './lost-time.tsx';
import { Percent } from './percent.tsx';
import type { ExplainedCheck, ExplainedNode, Explanation } from './qos-types.ts';

const shownCauses = 3;

/** Why a node has its figure of a day: what cost it most comes first, down to the checks. */
export function ExplanationTree({
  teamId,
  label,
  name,
  day,
}: {
  teamId: string;
  label: string;
  name: string;
  /** The newest day with a figure unless told. */
  day?: string | undefined;
}) {
  const query = useApi<Explanation>(withQuery(`/v1/teams/${teamId}/qos/explain`, { label, name, day }));
  if (query.error?.status === 404) {
    return (
      <EmptyState icon="quality" title={day ? `No figure of ${formatWholeDay(day)}` : 'No figure yet'}>
        {query.error.message} Compute the day under <Link href={qosPath(teamId, '/runs')}>Runs</Link>, or choose another
        one.
      </EmptyState>
    );
  }
  if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Loading />;
  const { day: shownDay, node } = query.data;
  return (
    <section className="why" aria-label={`Why ${name} has this figure`}>
      <p className="muted">{summaryOf(node, shownDay)}</p>
      <Causes teamId={teamId} node={node} />
      <ul className="why-tree">
        <NodeBranch teamId={teamId} node={node} day={shownDay} isRoot isOnTrail />
      </ul>
    </section>
  );
}

function summaryOf(node: ExplainedNode, day: string): string {
  const when = formatWholeDay(day);
  if (node.value === null) return `On ${when} nothing was known of it; below is what it would have needed.`;
  if (node.value === 100) return `On ${when} nothing was lost.`;
  return `On ${when}, in UTC; what cost most comes first, with the time it took away from what stands above it.`;
}

/** What is at the end of it all, before one has to look for it. */
function Causes({ teamId, node }: { teamId: string; node: ExplainedNode }) {
  const causes = causesOf(node);
  if (causes.length === 0) return null;
  const more = causes.length - shownCauses;
  return (
    <ul className="why-causes" aria-label="Causes">
      {causes.slice(0, shownCauses).map(({ label, name, check, seconds, spans: [first] }) => (
        <li key={`${label} ${name} ${check}`}>
          <strong>{check}</strong> of <Link href={nodePath(teamId, label, name)}>{name}</Link>{' '}
          <span className="muted numbers">
            {formatSeconds(seconds)}
            {first && `, from ${clockOf(first[0])}`}
          </span>
        </li>
      ))}
      {more > 0 && <li className="small muted">and {more.toLocaleString()} more</li>}
    </ul>
  );
}

type BranchProps = {
  teamId: string;
  day: string;
  isRoot?: boolean;
  /** What cost most, and what cost that most, and so on, is open from the beginning. */
  isOnTrail: boolean;
};

function NodeBranch({ teamId, node, day, isRoot = false, isOnTrail }: BranchProps & { node: ExplainedNode }) {
  const parts = (node.checks?.length ?? 0) + (node.dependencies?.length ?? 0);
  const [isOpen, setIsOpen] = useState(isOnTrail);
  const why = withQuery(qosPath(teamId, '/explain'), { label: node.label, name: node.name, day });
  return (
    <li>
      <div className="why-row">
        {parts > 0 ? (
          <IconButton
            isSmall
            label={`${isOpen ? 'Close' : 'Open'} ${node.name}`}
            icon={isOpen ? 'chevronDown' : 'chevronRight'}
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
          />
        ) : (
          <span className="why-leaf" aria-hidden="true" />
        )}
        <span className="why-name">
          <Link href={why}>{node.name}</Link> <span className="small muted">{node.label}</span>{' '}
          {node.query && <code className="small muted">{node.query}</code>}
        </span>
        <Figures part={node} isRoot={isRoot} />
        <LostTime from={unixStartOf(day)} spans={node.spans} leftOut={node.spans_left_out} />
      </div>
      {isOpen && parts > 0 && (
        <ul>
          {node.checks?.map((check) => (
            <CheckLeaf key={check.check} check={check} day={day} />
          ))}
          {node.dependencies?.map((one, index) => (
            <NodeBranch
              key={`${one.label} ${one.name}`}
              teamId={teamId}
              node={one}
              day={day}
              isOnTrail={isOnTrail && index === 0}
            />
          ))}
          {(node.dependencies_left_out ?? 0) > 0 && (
            <li className="small muted why-more">
              and {node.dependencies_left_out?.toLocaleString()} more that cost less
            </li>
          )}
        </ul>
      )}
      {node.is_cut && (
        <p className="small muted why-more">
          There is more below. <Link href={why}>Explain {node.name}</Link>
        </p>
      )}
    </li>
  );
}

function CheckLeaf({ check, day }: { check: ExplainedCheck; day: string }) {
  return (
    <li>
      <div className="why-row">
        <span className="why-leaf" aria-hidden="true" />
        <span className="why-name">
          {check.check} <span className="small muted">check</span>
        </span>
        <Figures part={check} isRoot={false} />
        {check.failure !== null && <span className="why-failure outcome-bad small">{check.failure}</span>}
        <LostTime from={unixStartOf(day)} spans={check.spans} leftOut={check.spans_left_out} />
      </div>
    </li>
  );
}

function Figures({ part, isRoot }: { part: ExplainedNode | ExplainedCheck; isRoot: boolean }) {
  return (
    <span className="why-figures numbers">
      <Percent value={part.value} coverage={part.coverage} />
      {part.cost_seconds > 0 && (
        <span className="small">
          {isRoot ? 'lost' : 'cost'} {formatSeconds(part.cost_seconds)}
        </span>
      )}
    </span>
  );
}
