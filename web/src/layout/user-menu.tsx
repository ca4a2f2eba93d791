import { Link } from 'wouter';
import { Icon } from '../design/icon.tsx';
import { Popover } from '../design/menu.tsx';
import { useToast } from '../design/toast.tsx';
import { useSession } from '../identity/session.tsx';
import { adminPath } from '../routing/paths.ts';

export function UserMenu() {
  const { user, signOut } = useSession();
  const toast = useToast();
  return (
    <Popover
      label={`Signed in as ${user.name}`}
      trigger={
        <>
          <Icon name="user" />
          <span className="user-name">{user.name}</span>
        </>
      }
    >
      {(close) => (
        <>
          <p className="menu-title wrap-anywhere">
            {user.name}
            {user.admin && ', administrator'}
            <br />
            {user.scopes.join(', ')}
          </p>
          <Link className="menu-item" href={adminPath('tokens')} onClick={close}>
            <Icon name="key" />
            My tokens
          </Link>
          <a className="menu-item" href="/docs">
            <Icon name="external" />
            Interface reference
          </a>
          <button type="button" className="menu-item" onClick={() => void signOut().catch(toast.complain)}>
            <Icon name="signOut" />
            Sign out
          </button>
        </>
      )}
    </Popover>
  );
}
