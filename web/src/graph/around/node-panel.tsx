import { Link } from 'wouter';
import { withQuery } from '../../api/client.ts';
import { useApi } from '../../api/hooks.ts';
import { Button, ButtonLink } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { Time } from '../../design/time.tsx';
import { explorerPath, nodePath } from '../../routing/paths.ts';
import type { ExplorerState, Opening } from '../explorer-state.ts';
import {
  type ImpactTotals,
  impactUrl,
  type NeighbourPage,
  type NodeAlone,
  neighboursUrl,
  nodeUrl,
} from '../graph-api.ts';
import { LabelMark } from '../label-mark.tsx';
import { pluralOf } from '../labels.ts';
import type { Direction, NodeRef } from '../node-key.ts';

type Props = {
  teamId: string;
  state: ExplorerState;
  node: NodeRef;
  isRoot: boolean;
  isOpen: (node: NodeRef, direction: Direction) => boolean;
  toggle: (node: NodeRef, direction: Direction) => void;
  openList: (opening: Opening, label: string) => void;
};

/** What there is to know and to do about the node that was chosen last. */
export function NodePanel({ teamId, state, node, isRoot, isOpen, toggle, openList }: Props) {
  const alone = useApi<NodeAlone>(nodeUrl(teamId, node), { staleMs: 30_000 });
  const impact = useApi<ImpactTotals>(impactUrl(teamId, node, undefined), { staleMs: 30_000 });
  return (
    <Card title={<span className="wrap-anywhere">{node.name}</span>}>
      <div className="stack">
        <dl className="facts">
          <dt>Label</dt>
          <dd>
            <LabelMark teamId={teamId} label={node.label} />
          </dd>
          <dt>Active</dt>
          <dd>
            <Activity node={alone.data} />
          </dd>
          <dt>Breaks with it</dt>
          <dd className="numbers">
            {impact.data && (
              <Link href={withQuery(explorerPath(teamId), { ...node, view: 'impacted' })}>
                {impact.data.count.toLocaleString()} {impact.data.count === 1 ? 'node' : 'nodes'}
              </Link>
            )}
          </dd>
        </dl>
        <div className="row">
          {!isRoot && (
            <Button isSmall icon="graph" onClick={() => state.centre(node)}>
              Into the middle
            </Button>
          )}
          <ButtonLink isSmall href={nodePath(teamId, node.label, node.name)}>
            Node page
          </ButtonLink>
        </div>
        {(['impacted', 'dependencies'] as const).map((direction) => (
          <Neighbours
            key={direction}
            {...{ teamId, state, node, direction, openList }}
            isOpen={isOpen(node, direction)}
            toggle={isRoot ? undefined : () => toggle(node, direction)}
          />
        ))}
      </div>
    </Card>
  );
}

function Activity({ node }: { node: NodeAlone | undefined }) {
  if (!node) return null;
  if (node.from === undefined && node.to === undefined) return 'always';
  return (
    <>
      {node.from !== undefined && (
        <>
          from <Time at={new Date(node.from * 1000)} />{' '}
        </>
      )}
      {node.to !== undefined && (
        <>
          to <Time at={new Date(node.to * 1000)} />
        </>
      )}
    </>
  );
}

/** How many neighbours of each label; each leads to all of them. */
function Neighbours({
  teamId,
  state,
  node,
  direction,
  isOpen,
  toggle,
  openList,
}: {
  teamId: string;
  state: ExplorerState;
  node: NodeRef;
  direction: Direction;
  isOpen: boolean;
  toggle: (() => void) | undefined;
  openList: Props['openList'];
}) {
  const { data } = useApi<NeighbourPage>(neighboursUrl(teamId, node, direction, state.when, { limit: 1 }));
  const title = direction === 'impacted' ? 'Depends on it' : 'It depends on';
  return (
    <section aria-label={title}>
      <div className="row">
        <h3>{title}</h3>
        {toggle && data && data.groups.length > 0 && (
          <Button isSmall variant="ghost" className="push" aria-expanded={isOpen} onClick={toggle}>
            {isOpen ? 'Close' : 'Open'}
          </Button>
        )}
      </div>
      {data?.groups.length === 0 && <p className="small muted">Nothing on this day.</p>}
      <ul className="panel-list">
        {data?.groups.map(({ label, count }) => (
          <li key={label}>
            <button type="button" className="panel-row" onClick={() => openList({ node, direction }, label)}>
              <LabelMark teamId={teamId} label={label}>
                {pluralOf(label, count)}
              </LabelMark>
              <span className="numbers">{count.toLocaleString()}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
