import type { ReactNode } from 'react';
import { Badge } from '../../design/badge.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { type Opening, printOpening, type Shown } from '../explorer-state.ts';
import type { NeighbourPage } from '../graph-api.ts';
import { LabelMark } from '../label-mark.tsx';
import { pluralOf } from '../labels.ts';
import { type Direction, keyOf, type NodeRef } from '../node-key.ts';

type Props = {
  teamId: string;
  root: NodeRef;
  shown: Shown;
  pages: ReadonlyMap<string, NeighbourPage | undefined>;
  isOpen: (node: NodeRef, direction: Direction) => boolean;
  toggle: (node: NodeRef, direction: Direction) => void;
  openList: (opening: Opening, label: string) => void;
  onCentre: (node: NodeRef) => void;
};

const titles = { impacted: 'Depends on it', dependencies: 'It depends on' } as const;

/** The same as the drawing, in nested lists: for those who hear it, and for those who would rather read. */
export function Outline(props: Props) {
  const { root, shown } = props;
  const directions = (['impacted', 'dependencies'] as const).filter((one) => shown === 'both' || shown === one);
  return (
    <div className="outline">
      {directions.map((direction) => (
        <section key={direction} aria-label={titles[direction]}>
          <h3>{titles[direction]}</h3>
          <Branch {...props} opening={{ node: root, direction }} above={[keyOf(root)]} />
        </section>
      ))}
    </div>
  );
}

function Branch({ opening, above, ...props }: Props & { opening: Opening; above: string[] }): ReactNode {
  const page = props.pages.get(printOpening(opening));
  if (!page) return null;
  if (page.groups.length === 0) return <p className="small muted">Nothing on this day.</p>;
  const { direction } = opening;
  return (
    <ul>
      {page.nodes.map(({ label, name, old }) => {
        const node = { label, name };
        const key = keyOf(node);
        // In a cycle a node comes again below itself; there it is named and not opened.
        const isAbove = above.includes(key);
        const isOpened = !isAbove && props.isOpen(node, direction);
        return (
          <li key={key}>
            <div className="outline-row">
              {!isAbove && (
                <IconButton
                  label={`${isOpened ? 'Close' : 'Open'} ${label} ${name}`}
                  icon={isOpened ? 'chevronDown' : 'chevronRight'}
                  isSmall
                  aria-expanded={isOpened}
                  onClick={() => props.toggle(node, direction)}
                />
              )}
              <Button variant="ghost" isSmall className="outline-name" onClick={() => props.onCentre(node)}>
                {name}
              </Button>
              <span className="small muted">
                <LabelMark teamId={props.teamId} label={label} />
              </span>
              {old && <Badge>not active</Badge>}
            </div>
            {isOpened && <Branch {...props} opening={{ node, direction }} above={[...above, key]} />}
          </li>
        );
      })}
      {page.groups.map(({ label, count }) => {
        const rest = count - page.nodes.filter((one) => one.label === label).length;
        if (rest === 0) return null;
        return (
          <li key={`more ${label}`}>
            <Button variant="ghost" isSmall onClick={() => props.openList(opening, label)}>
              and {rest.toLocaleString()} more {pluralOf(label, rest)}
            </Button>
          </li>
        );
      })}
    </ul>
  );
}
