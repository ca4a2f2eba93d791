import { type ReactNode, useEffect, useId } from 'react';
import './card.css';

/** A titled part of a page. */
export function Card({
  title,
  actions,
  children,
  isFlush = false,
}: {
  title: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** The content reaches the edges: tables and pictures. */
  isFlush?: boolean;
}) {
  const id = useId();
  return (
    <section className="card" aria-labelledby={id}>
      <header className="card-head">
        <h2 id={id}>{title}</h2>
        {actions && <div className="row push">{actions}</div>}
      </header>
      <div className={isFlush ? 'card-flush' : 'card-body'}>{children}</div>
    </section>
  );
}

/** What the page is about, and what can be done here. A title in words is also that of the window. */
export function PageHeader({
  title,
  description,
  actions,
}: {
  title: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
}) {
  useEffect(() => {
    if (typeof title !== 'string') return undefined;
    document.title = `${title} · Faultline`;
    return () => {
      document.title = 'Faultline';
    };
  }, [title]);
  return (
    <header className="page-head">
      <div>
        <h1 className="wrap-anywhere">{title}</h1>
        {description && <p className="muted">{description}</p>}
      </div>
      {actions && <div className="row push">{actions}</div>}
    </header>
  );
}

/** One figure and what it is. */
export function Figure({ label, value, note }: { label: string; value: ReactNode; note?: ReactNode }) {
  return (
    <div className="figure">
      <dt>{label}</dt>
      <dd className="numbers">{value}</dd>
      {note && <dd className="figure-note">{note}</dd>}
    </div>
  );
}
