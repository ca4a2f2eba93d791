// Signs in with the token of the printed link, and shows who is there, the teams and the news.
const main = document.getElementById('main');
const who = document.getElementById('who');
const signOut = document.getElementById('sign-out');

let csrfToken = null;

async function call(method, path, body) {
  const headers = { accept: 'application/json' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (csrfToken) headers['x-csrf-token'] = csrfToken;
  const options = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const response = await fetch(path, options);
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.message), { status: response.status });
  return answer;
}

function element(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

async function showSignIn(problem) {
  who.textContent = '';
  signOut.hidden = true;
  const { oidc } = await call('GET', '/auth/methods');
  const input = element('input', { type: 'password', name: 'token', required: true, autocomplete: 'current-password' });
  const form = element(
    'form',
    {},
    element('label', {}, 'Token', input),
    element('button', { type: 'submit' }, 'Sign in'),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void signIn(input.value);
  });
  main.replaceChildren(element('h1', {}, 'Sign in'));
  if (problem) main.append(element('p', { className: 'error', role: 'alert' }, problem));
  main.append(element('p', {}, 'Use the link that the server printed at its start, or a token.'), form);
  if (oidc) main.append(element('p', {}, element('a', { href: oidc }, 'Sign in with your organisation’s account')));
}

async function signIn(token) {
  try {
    await call('POST', '/v1/session', { token });
    await show();
  } catch (error) {
    await showSignIn(error.message);
  }
}

async function show() {
  let session;
  try {
    session = await call('GET', '/v1/session');
  } catch (error) {
    await showSignIn(error.status === 401 ? undefined : error.message);
    return;
  }
  who.textContent = session.user.name;
  signOut.hidden = false;
  csrfToken = session.csrf_token;
  const [{ teams }, { news }] = await Promise.all([call('GET', '/v1/teams'), call('GET', '/v1/news?limit=20')]);
  main.replaceChildren(
    element('h1', {}, 'Teams'),
    teams.length > 0
      ? element('ul', {}, ...teams.map((team) => element('li', {}, team.name)))
      : element('p', {}, 'There is no team yet. An administrator makes one with POST /v1/teams.'),
    element('h1', {}, 'News'),
    ...(news.length > 0 ? news.map(showItem) : [element('p', {}, 'Nothing new.')]),
  );
}

function showItem(item) {
  const time = element(
    'time',
    { dateTime: item.createdAt, title: item.createdAt },
    new Date(item.createdAt).toLocaleString(),
  );
  return element('article', {}, element('h2', {}, item.title), time, element('p', {}, item.message));
}

signOut.addEventListener('click', () => void call('DELETE', '/v1/session').then(() => showSignIn()));

const token = new URLSearchParams(location.hash.slice(1)).get('token');
if (token) {
  // The address bar and the history must not keep the secret.
  history.replaceState(null, '', location.pathname);
  await signIn(token);
} else {
  await show();
}
