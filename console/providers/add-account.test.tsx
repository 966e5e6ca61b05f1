import { expect, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { serveScript } from '../../test/support/console/scripted-api.ts';

const script = serveScript();
const RIGHTS = { body: { permissions: ['providers.view', 'providers.manage'] } };
const ACCOUNT = {
  id: 'an-account',
  owner_id: 'ada',
  name: 'My program',
  provider_type: 'codex',
  auth_type: 'oauth',
  base_url: null,
  model_name: null,
  status: 'active',
};
const SIGN_IN = {
  provider: 'codex',
  account_name: 'My program',
  status: 'awaiting_code',
  detail: null,
  auth_url: 'https://sign-in.example.com/device',
  user_code: 'ABCD-1234',
  expires_at: new Date(Date.now() + 900_000).toISOString(),
  notice: 'This account is your own.',
};
const KEY = { name: 'api_key', description: 'A key.', format: 'token', is_optional: false, is_secret: true };
const ENTRIES = [
  { key: 'codex', name: 'Codex', auth_type: 'oauth', stream_type: 'cli', available: true },
  {
    key: 'openai',
    name: 'OpenAI',
    auth_type: 'apikey',
    auth_types: ['apikey'],
    credential_forms: [{ key: 'api_key', name: 'API key', entries: [KEY] }],
    stream_type: 'openai',
    base_url: 'https://x',
    models: [],
    available: true,
  },
];
const PATH = '/api/providers/auth/codex';

async function choose(name: string) {
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Add an account' }));
  await user.click(await screen.findByPlaceholderText('Search 2 providers by name'));
  await user.click(await screen.findByText(name));
  return user;
}

const answers = {
  'GET /api/permissions/me': RIGHTS,
  'GET /api/providers': { body: [] },
  'GET /api/providers/catalog': { body: ENTRIES },
};

test('a sign-in leads over the page of the provider to an account, which is tested', async () => {
  const begun = {
    ...answers,
    'POST /api/providers/auth/start': { body: SIGN_IN },
    [`GET ${PATH}/status/My%20program`]: { body: SIGN_IN },
    [`POST ${PATH}/code/My%20program`]: { body: { ...SIGN_IN, status: 'ready' } },
    [`POST ${PATH}/complete/My%20program`]: { status: 201, body: ACCOUNT },
    'POST /api/providers/an-account/test': { body: { ok: true, latency_ms: 80, model: 'large', error: null } },
  };
  openConsole(script, `/o/${ORG}/providers`, begun);
  const user = await choose('Codex');
  const name = await screen.findByLabelText('Name of the account');
  await user.clear(name);
  await user.type(name, 'My program');
  await user.click(screen.getByRole('button', { name: 'Begin to sign in' }));
  await screen.findByText('This account is your own.');
  expect(screen.getByRole('link', { name: 'Open the page' }).getAttribute('href')).toBe(SIGN_IN.auth_url);
  await screen.findByText('ABCD-1234');
  await user.type(screen.getByLabelText('Code shown on the page'), 'a-code');
  await user.click(screen.getByRole('button', { name: 'Send the code' }));
  await screen.findByText('large answered in 80 ms');
  const sent = script.requests.filter(({ method }) => method === 'POST').map(({ body }) => body);
  expect(sent).toContain('{"provider_type":"codex","account_name":"My program"}');
  expect(sent).toContain('{"code":"a-code"}');
});

test('a sign-in that has failed says why, and can be begun again', async () => {
  const failed = { ...SIGN_IN, status: 'failed', detail: 'The program has ended.' };
  openConsole(script, `/o/${ORG}/providers`, { ...answers, 'POST /api/providers/auth/start': { body: failed } });
  const user = await choose('Codex');
  await user.click(await screen.findByRole('button', { name: 'Begin to sign in' }));
  await screen.findByText('The program has ended.');
  await user.click(screen.getByRole('button', { name: 'Begin again' }));
  await screen.findByPlaceholderText('Search 2 providers by name');
});

const ADDED = {
  ...ACCOUNT,
  auth_type: 'apikey',
  provider_type: 'openai',
  disabled_reason: null,
  last_used_at: null,
  last_failure: null,
};
const REFUSED = {
  status: 422,
  body: { detail: [{ type: 'provider_failed', loc: ['body'], msg: 'OpenAI refused the key.' }] },
};
const bodies = () =>
  script.requests.flatMap(({ method, path, body }) =>
    method === 'POST' && path === '/api/providers' ? [JSON.parse(body)] : [],
  );

async function addWithKey(key: string) {
  const user = await choose('OpenAI');
  await user.type(await screen.findByLabelText('API key'), key);
  await user.click(screen.getAllByRole('button', { name: 'Add an account' }).at(-1) ?? document.body);
  return user;
}

test('a key that is pasted says its provider, and is tested at once', async () => {
  openConsole(script, `/o/${ORG}/providers`, { ...answers, 'POST /api/providers': { status: 201, body: ADDED } });
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Add an account' }));
  await user.click(await screen.findByLabelText('API key'));
  await user.paste(' sk-proj-0123456789 ');
  await screen.findByText(/ was added and answers\./);
  expect(bodies()).toEqual([
    {
      provider_type: 'openai',
      name: 'OpenAI',
      auth_type: 'apikey',
      credentials: { api_key: 'sk-proj-0123456789' },
      test: true,
    },
  ]);
});

test('the field for the key gets the focus when it is shown later than the dialog', async () => {
  const catalog = Promise.withResolvers<{ body: unknown }>();
  openConsole(script, `/o/${ORG}/providers`, { ...answers, 'GET /api/providers/catalog': () => catalog.promise });
  await userEvent.setup().click(await screen.findByRole('button', { name: 'Add an account' }));
  const dialog = await screen.findByRole('dialog');
  await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true));
  catalog.resolve({ body: ENTRIES });
  const key = await screen.findByLabelText('API key');
  await waitFor(() => expect(document.activeElement).toBe(key));
});

test('a key that does not say its provider waits until one is chosen', async () => {
  openConsole(script, `/o/${ORG}/providers`, answers);
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Add an account' }));
  await user.click(await screen.findByLabelText('API key'));
  await user.paste('0123456789');
  await screen.findByText(/^This key does not say which provider/);
  await user.click(screen.getByPlaceholderText('Search 2 providers by name'));
  await user.click(await screen.findByText('OpenAI'));
  expect((await screen.findByLabelText<HTMLInputElement>('API key')).value).toBe('0123456789');
  expect(bodies()).toEqual([]);
});

test('an account whose key does not work is not added, and the key is changed on the spot', async () => {
  openConsole(script, `/o/${ORG}/providers`, { ...answers, 'POST /api/providers': REFUSED });
  const user = await addWithKey('sk-wrong');
  await screen.findByText('The account was not added. OpenAI refused the key.');
  const works = { 'POST /api/providers': { status: 201, body: ADDED }, 'GET /api/providers': { body: [ADDED] } };
  script.answer({ ...answers, ...works });
  await user.clear(screen.getByLabelText('API key'));
  await user.type(screen.getByLabelText('API key'), 'sk-right');
  await user.click(screen.getAllByRole('button', { name: 'Add an account' }).at(-1) ?? document.body);
  await screen.findByText(/^My program was added and answers\. It replaces the demo model/);
  expect(bodies()).toMatchObject([{ test: true }, { credentials: { api_key: 'sk-right' }, test: true }]);
  await waitFor(() => expect(document.body.innerHTML).not.toContain('sk-right'));
});

test('an account that has not answered can be added all the same', async () => {
  openConsole(script, `/o/${ORG}/providers`, { ...answers, 'POST /api/providers': REFUSED });
  expect(screen.queryByRole('button', { name: 'Add without a test' })).toBe(null);
  const user = await addWithKey('sk-wrong');
  await screen.findByText(/^The account was not added\./);
  script.answer({ ...answers, 'POST /api/providers': { status: 201, body: ADDED } });
  await user.click(screen.getByRole('button', { name: 'Add without a test' }));
  await screen.findByText('My program was added.');
  expect(bodies()).toMatchObject([{ test: true }, { test: false }]);
});

test('a signed-in account that does not answer is tested again, or removed', async () => {
  const removed = {
    ...answers,
    'POST /api/providers/auth/start': { body: { ...SIGN_IN, status: 'ready' } },
    [`GET ${PATH}/status/My%20program`]: { body: { ...SIGN_IN, status: 'ready' } },
    [`POST ${PATH}/complete/My%20program`]: { status: 201, body: ACCOUNT },
    'POST /api/providers/an-account/test': { body: { ok: false, latency_ms: null, model: null, error: 'no credit' } },
    'DELETE /api/providers/an-account': { status: 204, body: undefined },
  };
  openConsole(script, `/o/${ORG}/providers`, removed);
  const user = await choose('Codex');
  await user.click(await screen.findByRole('button', { name: 'Begin to sign in' }));
  await screen.findByText('No answer: no credit');
  expect(screen.queryByRole('button', { name: 'Continue' })).toBe(null);
  await user.click(screen.getByRole('button', { name: 'Test again' }));
  await screen.findByText('No answer: no credit');
  await user.click(screen.getByRole('button', { name: 'Remove the account' }));
  await screen.findByPlaceholderText('Search 2 providers by name');
  expect(script.requests.some(({ method }) => method === 'DELETE')).toBe(true);
});
