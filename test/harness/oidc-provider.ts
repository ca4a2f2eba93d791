import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { Provider } from 'oidc-provider';
import { afterAll, vi } from 'vitest';

export const clientId = 'faultline';
export const clientSecret = 'the-secret-of-the-client';

/** A real OpenID Connect provider on loopback. Whoever signs in as `name#number` is called `name` there. */
export async function startOidcProvider(redirectUri: string) {
  let handle: RequestListener = (_request, response) => response.end();
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // It warns that its sign-in pages are for development only, which is what they are used for.
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const info = vi.spyOn(console, 'info').mockImplementation(() => undefined);
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' }] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    claims: { openid: ['sub'], profile: ['preferred_username'], email: ['email'] },
    conformIdTokenClaims: false,
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600, AuthorizationCode: 60 },
    pkce: { required: () => true },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, preferred_username: id.split('#')[0] }),
    }),
  });
  warn.mockRestore();
  info.mockRestore();
  handle = provider.callback();

  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  afterAll(stop);

  /** Walks through the provider's pages as a browser would, until it sends the person back to us: that address. */
  async function signIn(start: string, login: string, { cancel = false } = {}): Promise<URL> {
    const jar = new Map<string, string>();
    let url = new URL(start);
    let form: URLSearchParams | undefined;
    for (let steps = 0; steps < 20; steps++) {
      if (url.href.startsWith(redirectUri)) return url;
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const options = { redirect: 'manual', headers: { cookie } } as const;
      const response = await fetch(url, form ? { ...options, method: 'POST', body: form } : options);
      for (const line of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (name !== undefined) jar.set(name, value);
      }
      const text = await response.text();
      const location = response.headers.get('location');
      form = undefined;
      if (location !== null) {
        url = new URL(location, url);
        continue;
      }
      if (cancel) {
        url = new URL(/href="([^"]*\/abort)"/.exec(text)?.[1] ?? '', url);
        continue;
      }
      const action = /<form[^>]*action="([^"]+)"/.exec(text)?.[1];
      const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1];
      if (action === undefined || prompt === undefined) throw new Error(`no way on from ${url.href}: ${text}`);
      url = new URL(action, url);
      form = new URLSearchParams({ prompt, ...(prompt === 'login' ? { login, password: 'any' } : {}) });
    }
    throw new Error('the provider leads in circles');
  }

  return { issuer, signIn, stop };
}
