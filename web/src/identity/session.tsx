import { useQueryClient } from '@tanstack/react-query';
import { createContext, lazy, type ReactNode, Suspense, useContext, useEffect, useState } from 'react';
import { api, setCsrfToken, whenSignedOut } from '../api/client.ts';
import { useApi } from '../api/hooks.ts';
import type { CurrentUser, Role, Scope, Session, Team } from '../api/types.ts';
import { ErrorState, Loading } from '../design/states.tsx';

const SignIn = lazy(() => import('./sign-in.tsx'));

type SignedIn = {
  user: CurrentUser;
  /** May this session do what needs this scope? For Admin one must also be an administrator. */
  hasScope: (scope: Scope) => boolean;
  /** Has the user this role in the team, or a higher one? */
  hasRole: (team: Team | undefined, role: Role) => boolean;
  signOut: () => Promise<void>;
};

const Context = createContext<SignedIn | undefined>(undefined);
const roles: readonly Role[] = ['member', 'editor', 'manager'];

export function useSession(): SignedIn {
  const session = useContext(Context);
  if (!session) throw new Error('Only what is inside of SessionGate may ask who is signed in.');
  return session;
}

/** Shows the page to those who are signed in, and the way in to all others. */
export function SessionGate({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [linkProblem, isSigningIn] = useSignInLink();
  const session = useApi<Session>(isSigningIn ? null : '/v1/session', { staleMs: Number.POSITIVE_INFINITY });
  setCsrfToken(session.data?.csrf_token ?? null);
  const me = useApi<CurrentUser>(session.data ? '/v1/users/me' : null, { staleMs: 60_000 });
  useEffect(() => {
    // Answers of one person must not be shown to the next.
    whenSignedOut(() => void client.resetQueries());
    return () => whenSignedOut(() => undefined);
  }, [client]);

  const enter = (): Promise<void> => client.resetQueries();
  if (session.error?.status === 401) {
    return (
      <Suspense fallback={<Loading />}>
        <SignIn problem={linkProblem} onSignedIn={enter} />
      </Suspense>
    );
  }
  const problem = session.error ?? me.error;
  if (problem && !me.data) {
    return (
      <main className="lonely">
        <ErrorState error={problem} onRetry={() => void enter()} />
      </main>
    );
  }
  if (!me.data) return <Loading label="Signing in" />;
  const user = me.data;
  const hasScope = (scope: Scope): boolean => user.scopes.includes(scope) && (scope !== 'Admin' || user.admin);
  const hasRole = (team: Team | undefined, role: Role): boolean => {
    const mine = team && user.grants[team.name];
    return user.admin || (mine !== undefined && roles.indexOf(mine) >= roles.indexOf(role));
  };
  const signOut = async (): Promise<void> => {
    await api.delete('/v1/session');
    setCsrfToken(null);
    await client.resetQueries();
  };
  return <Context value={{ user, hasScope, hasRole, signOut }}>{children}</Context>;
}

/** The printed link carries a secret behind the #, which no server and no log ever sees. */
function useSignInLink(): [problem: string | undefined, isSigningIn: boolean] {
  const [secret] = useState(takeSecret);
  const [problem, setProblem] = useState<string>();
  const [isSigningIn, setIsSigningIn] = useState(secret !== null);
  useEffect(() => {
    if (secret === null) return;
    signInOnce(secret).then(
      () => setIsSigningIn(false),
      (error: unknown) => {
        setProblem(error instanceof Error ? error.message : String(error));
        setIsSigningIn(false);
      },
    );
  }, [secret]);
  return [problem, isSigningIn];
}

let signingIn: Promise<unknown> | undefined;
const signInOnce = (token: string): Promise<unknown> => (signingIn ??= api.post('/v1/session', { token }));

let taken: string | null = null;
function takeSecret(): string | null {
  const secret = new URLSearchParams(location.hash.slice(1)).get('token');
  // The address bar and the history must not keep it.
  if (secret !== null) {
    taken = secret;
    history.replaceState(null, '', location.pathname + location.search);
  }
  return taken;
}
