import type { ReactNode } from 'react';
import './badge.css';

export type Tone = 'good' | 'warn' | 'bad' | 'accent' | 'quiet';

/** A word with a colour; the word alone says it all. */
export function Badge({ tone = 'quiet', dot = false, children }: { tone?: Tone; dot?: boolean; children: ReactNode }) {
  return <span className={`badge badge-${tone}${dot ? ' badge-dot' : ''}`}>{children}</span>;
}
