import { useMemo } from 'react';
import type { DefinitionDetail, PlanItemView } from '../../../src/workflows/workflows.schemas.ts';
import { Icon, type IconName } from '../design/icon.tsx';
import { drawingOfPlan } from './drawing.ts';
import { type Box, DrawingView } from './drawing-view.tsx';

/** What a definition consists of, as a picture. */
export function PlanDrawing({
  definition,
  selected,
  onSelect,
}: {
  definition: DefinitionDetail;
  selected: string;
  onSelect: (place: string) => void;
}) {
  const { items } = definition.plan;
  const drawing = useMemo(() => drawingOfPlan(items), [items]);
  const boxOf = (place: string): Box | undefined => {
    const item = /^\d+$/.test(place) ? items[Number(place)] : undefined;
    return item && boxOfItem(item);
  };
  return (
    <DrawingView
      label={`Drawing of ${definition.fullname}`}
      drawing={drawing}
      boxOf={boxOf}
      selected={selected}
      onSelect={onSelect}
    />
  );
}

export const kindIcons: Partial<Record<PlanItemView['kind'], IconName>> = {
  foreach: 'copy',
  approval: 'user',
  workflow: 'workflow',
};

function boxOfItem(item: PlanItemView): Box {
  const icon = kindIcons[item.kind];
  return {
    title: item.key,
    note: noteOf(item),
    tone: item.kind === 'approval' ? 'warn' : 'quiet',
    ...(icon && { icon: <Icon name={icon} /> }),
    isStack: item.kind === 'foreach',
  };
}

function noteOf({ kind, key, run, over, workflow, when }: PlanItemView): string {
  const condition = when === null ? '' : ', conditional';
  switch (kind) {
    case 'approval':
      return `approval${condition}`;
    case 'foreach':
      return `${run} for each of ${over}${condition}`;
    case 'workflow':
      return `${workflow}${condition}`;
    case 'task':
      return `${run === key ? 'task' : run}${condition}`;
  }
}
