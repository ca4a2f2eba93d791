import { useLocation, useSearch } from 'wouter';

type Change<T> = (changes: Partial<T>, options?: { push?: boolean }) => void;

/**
 * Filters, times, pages and toggles live in the address, so that a link shows a colleague the same thing:
 *
 *     const [state, change] = useSearchState({ status: '', page: '1' });
 *     change({ status: 'error', page: '1' });                  // replaces this entry of the history
 *     change({ node: 'web-1' }, { push: true });               // Back leads to where it was
 *
 * What has its default value is left out of the address; what others put there stays.
 */
export function useSearchState<T extends Record<string, string>>(defaults: T): [T, Change<T>] {
  // The router decodes what it tells, once too often for names with a percent sign: it says when, the address says what.
  useSearch();
  const [, navigate] = useLocation();
  const given = new URLSearchParams(location.search);
  const state = Object.fromEntries(Object.entries(defaults).map(([key, value]) => [key, given.get(key) ?? value])) as T; // the same keys
  const change: Change<T> = (changes, { push = false } = {}) => {
    // Read anew: two changes in one event must not undo each other.
    const next = new URLSearchParams(location.search);
    for (const [key, value] of Object.entries(changes)) {
      if (value === undefined || value === defaults[key]) next.delete(key);
      else next.set(key, value);
    }
    const text = next.toString();
    navigate(text === '' ? location.pathname : `${location.pathname}?${text}`, { replace: !push });
  };
  return [state, change];
}
