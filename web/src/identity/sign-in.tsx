import { type FormEvent, useState } from 'react';
import { api } from '../api/client.ts';
import { useApi, useChange } from '../api/hooks.ts';
import { Button } from '../design/button.tsx';
import { TextField } from '../design/field.tsx';
import mark from '../design/mark.svg';
import { ErrorState } from '../design/states.tsx';
import './sign-in.css';

/** With a token, or through the organisation's provider if the operator has set one up. */
export default function SignIn({
  problem,
  onSignedIn,
}: {
  problem: string | undefined;
  onSignedIn: () => Promise<void>;
}) {
  const [token, setToken] = useState('');
  const methods = useApi<{ oidc: string | null }>('/auth/methods');
  const signIn = useChange(async (secret: string) => {
    await api.post('/v1/session', { token: secret });
    await onSignedIn();
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    signIn.mutate(token.trim());
  };
  const error = signIn.error ?? (problem === undefined ? null : new Error(problem));
  const oidc = methods.data?.oidc;
  return (
    <main className="sign-in">
      <div className="sign-in-box">
        <header>
          <img src={mark} alt="" width="40" height="40" />
          <h1>Faultline</h1>
          <p className="muted">What depends on this, how well did it work, and who does something about it.</p>
        </header>
        {error && <ErrorState title="You are not signed in" error={error} />}
        {oidc && (
          <>
            <a className="button button-primary" href={`${oidc}?return_to=${encodeURIComponent(returnTo())}`}>
              Sign in with your organisation’s account
            </a>
            <p className="sign-in-or">or</p>
          </>
        )}
        <form className="stack" onSubmit={submit}>
          <TextField
            label="Token"
            type="password"
            name="token"
            autoComplete="current-password"
            required
            value={token}
            onValue={setToken}
            hint="The link that the server printed at its start signs in by itself. A token is made with “faultline token create”, or by an administrator."
          />
          <Button type="submit" variant={oidc ? 'secondary' : 'primary'} isBusy={signIn.isPending}>
            Sign in
          </Button>
        </form>
      </div>
    </main>
  );
}

const returnTo = (): string => location.pathname + location.search;
