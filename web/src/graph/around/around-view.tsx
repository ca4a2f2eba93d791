import { useMemo } from 'react';
import { ErrorState, Loading } from '../../design/states.tsx';
import { Segmented } from '../../design/tabs.tsx';
import { type ExplorerState, type Opening, parseList, printOpening, printOpenings } from '../explorer-state.ts';
import { useLabelColor } from '../labels.ts';
import { type Direction, isSame, keyOf, type NodeRef } from '../node-key.ts';
import './around.css';
import { Drawing } from './drawing.tsx';
import { buildDrawing, type DrawnNode, listOpenings } from './drawing-model.ts';
import { GroupList } from './group-list.tsx';
import { NodePanel } from './node-panel.tsx';
import { Outline } from './outline.tsx';
import { useSurroundings } from './use-surroundings.ts';

/** One node in the middle, what it depends on to the right, what depends on it to the left; each can be opened further. */
export function AroundView({ teamId, root, state }: { teamId: string; root: NodeRef; state: ExplorerState }) {
  const { raw, change, when, shown, opened } = state;
  const openings = listOpenings(root, shown, opened);
  const { pages, error, isPending, refetch } = useSurroundings(teamId, openings, when);
  const colorOf = useLabelColor(teamId);
  const print = JSON.stringify([root, openings, [...pages]]);
  // oxlint-disable-next-line react/exhaustive-deps -- `print` says when any of them differs
  const model = useMemo(() => buildDrawing(root, openings, pages), [print]);
  const chosen = state.chosen ?? root;
  const list = parseList(raw.list);

  const isOpen = (node: NodeRef, direction: Direction): boolean =>
    openings.some((one) => one.direction === direction && isSame(one.node, node));
  const toggle = (node: NodeRef, direction: Direction): void => {
    const opening: Opening = { node, direction };
    const others = opened.filter((one) => printOpening(one) !== printOpening(opening));
    const next = others.length < opened.length ? others : [...opened, opening];
    change({ open: printOpenings(next), chosen: keyOf(node), list: '', page: '1' }, { push: true });
  };
  const openNode = (item: DrawnNode): void => {
    const node = { label: item.label, name: item.name };
    if (item.side === 'root') change({ chosen: '', list: '' });
    else toggle(node, item.side);
  };
  const openList = (opening: Opening, label: string): void =>
    change({ list: `${printOpening(opening)} ${label}`, page: '1' }, { push: true });

  if (error) return <ErrorState error={error} onRetry={refetch} />;
  return (
    <div className="around">
      <div className="around-main card">
        <div className="around-bar">
          <Segmented
            label="How to show it"
            value={raw.form === 'list' ? 'list' : 'drawing'}
            options={[
              ['drawing', 'Drawing'],
              ['list', 'List'],
            ]}
            onValue={(form) => change({ form })}
          />
          <span className="small muted" role="status">
            {isPending ? 'Asking for neighbours' : countText(model.items.length - 1)}
          </span>
        </div>
        {isPending && model.items.length <= 1 ? (
          <Loading />
        ) : raw.form === 'list' ? (
          <Outline {...{ teamId, root, pages, isOpen, toggle, openList }} shown={shown} onCentre={state.centre} />
        ) : (
          <Drawing
            model={model}
            rootKey={keyOf(root)}
            chosenKey={keyOf(chosen)}
            colorOf={colorOf}
            onNode={openNode}
            onRest={({ opening, label }) => openList(opening, label)}
          />
        )}
      </div>
      {list ? (
        <GroupList teamId={teamId} state={state} {...list} />
      ) : (
        <NodePanel {...{ teamId, state, isOpen, toggle, openList }} node={chosen} isRoot={isSame(chosen, root)} />
      )}
    </div>
  );
}

function countText(count: number): string {
  if (count === 0) return 'Nothing around it on this day';
  return `${count} around it`;
}
