import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import './tabs.css';

/** Parts of one subject, each with its address. */
export function Tabs({ label, items }: { label: string; items: readonly { href: string; text: string }[] }) {
  const [path] = useLocation();
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone the one that was chosen may be out of sight.
    nav.current?.querySelector(`[href="${path}"]`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [path]);
  const isHere = (href: string): boolean => path === href || path.startsWith(`${href}/`);
  return (
    <nav ref={nav} className="tabs" aria-label={label}>
      {items.map(({ href, text }) => (
        <Link key={href} href={href} className="tab" aria-current={isHere(href) ? 'page' : undefined}>
          {text}
        </Link>
      ))}
    </nav>
  );
}

/** A choice between few, all in sight. */
export function Segmented<Value extends string>({
  label,
  value,
  options,
  onValue,
}: {
  label: string;
  value: Value;
  options: readonly (readonly [value: Value, text: string])[];
  onValue: (value: Value) => void;
}) {
  return (
    <div className="segmented" role="group" aria-label={label}>
      {options.map(([key, text]) => (
        <button key={key} type="button" aria-pressed={key === value} onClick={() => onValue(key)}>
          {text}
        </button>
      ))}
    </div>
  );
}
