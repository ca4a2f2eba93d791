import type { ReactNode } from 'react';
import { useLabelColor } from './labels.ts';
import './label-mark.css';

/** A label with its colour: the word says it, the colour helps to find it again in a drawing. `children` replace the word. */
export function LabelMark({ teamId, label, children }: { teamId: string; label: string; children?: ReactNode }) {
  const colorOf = useLabelColor(teamId);
  return (
    <span className="label-mark">
      <span className="label-dot" style={{ background: colorOf(label) }} aria-hidden="true" />
      {children ?? label}
    </span>
  );
}
