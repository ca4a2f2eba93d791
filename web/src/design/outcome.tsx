import { Icon } from './icon.tsx';

/** What came of a try, in words. */
export function Outcome({ isGood, children }: { isGood: boolean; children: string }) {
  return (
    <span className={`outcome ${isGood ? 'outcome-good' : 'outcome-bad'}`} role="status">
      <Icon name={isGood ? 'check' : 'warning'} />
      <span className="wrap-anywhere">{children}</span>
    </span>
  );
}
