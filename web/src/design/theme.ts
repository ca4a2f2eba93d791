import { useSyncExternalStore } from 'react';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const key = 'faultline.theme';
const darkSystem = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

/** Before the first drawing, so that nothing flashes in the wrong colours. */
export function applyStoredTheme(): void {
  applyTheme(readTheme());
  darkSystem.addEventListener('change', tell);
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(key);
  else localStorage.setItem(key, theme);
  applyTheme(theme);
  tell();
}

export const useTheme = (): Theme => useSyncExternalStore(listen, readTheme);

/** What is really shown, for drawings that do not follow the style sheet: canvases. */
export const useColorScheme = (): 'light' | 'dark' =>
  useSyncExternalStore(listen, () => {
    const theme = readTheme();
    return theme === 'system' ? (darkSystem.matches ? 'dark' : 'light') : theme;
  });

function readTheme(): Theme {
  const stored = localStorage.getItem(key);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(): void {
  for (const listener of listeners) listener();
}
