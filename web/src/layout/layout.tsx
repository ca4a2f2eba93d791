import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { IconButton } from '../design/button.tsx';
import mark from '../design/mark.svg';
import { NewsBell } from '../news/news-bell.tsx';
import './layout.css';
import { Navigation } from './navigation.tsx';
import { TeamSwitcher } from './team-switcher.tsx';
import { ThemeSwitch } from './theme-switch.tsx';
import { UserMenu } from './user-menu.tsx';

const key = 'faultline.navigation';

/** The frame around every view: the bar on top, the ways to everywhere at the side. */
export function Layout({ children }: { children: ReactNode }) {
  const [path] = useLocation();
  const [isNarrow, setIsNarrow] = useState(() => localStorage.getItem(key) === 'narrow');
  const [isDrawerOpen, setIsDrawerOpen] = useState(false);
  // oxlint-disable-next-line react/exhaustive-deps -- whoever went somewhere is done with the drawer
  useEffect(() => setIsDrawerOpen(false), [path]);
  useEffect(() => {
    const close = (event: KeyboardEvent): void => void (event.key === 'Escape' && setIsDrawerOpen(false));
    addEventListener('keydown', close);
    return () => removeEventListener('keydown', close);
  }, []);
  const toggleNarrow = (): void => {
    localStorage.setItem(key, isNarrow ? 'wide' : 'narrow');
    setIsNarrow(!isNarrow);
  };
  return (
    <div className="frame" data-narrow={isNarrow || undefined} data-drawer={isDrawerOpen || undefined}>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <header className="bar">
        <IconButton
          label="Navigation"
          icon="menu"
          className="bar-menu"
          aria-expanded={isDrawerOpen}
          onClick={() => setIsDrawerOpen(!isDrawerOpen)}
        />
        <Link href="/" className="bar-mark" aria-label="Faultline, overview">
          <img src={mark} alt="" width="26" height="26" />
          <span>Faultline</span>
        </Link>
        <TeamSwitcher />
        <div className="bar-end">
          <NewsBell />
          <ThemeSwitch />
          <UserMenu />
        </div>
      </header>
      <div className="side">
        <Navigation isNarrow={isNarrow} />
        <IconButton
          label={isNarrow ? 'Widen the navigation' : 'Narrow the navigation'}
          icon={isNarrow ? 'chevronRight' : 'chevronLeft'}
          className="side-toggle"
          onClick={toggleNarrow}
        />
      </div>
      {/* The pointer's way out of the drawer; the keyboard has Escape. */}
      <div className="shade" aria-hidden="true" onClick={() => setIsDrawerOpen(false)} />
      <main className="content" id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}
