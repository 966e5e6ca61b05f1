import { expect, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { serveScript } from '../../../test/support/console/scripted-api.ts';
import { openConsole, ORG } from '../../../test/support/console/opened-console.tsx';

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
  await user.type(screen.getByLabelText('Code that the page has shown'), 'a-code');
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

test('a key that does not work is changed on the spot', async () => {
  const account = { ...ACCOUNT, auth_type: 'apikey', provider_type: 'openai' };
  const refused = { body: { ok: false, latency_ms: null, model: null, error: 'the key was refused' } };
  const added = {
    ...answers,
    'POST /api/providers': { status: 201, body: account },
    'PATCH /api/providers/an-account': { body: account },
    'POST /api/providers/an-account/test': refused,
  };
  openConsole(script, `/o/${ORG}/providers`, added);
  const user = await choose('OpenAI');
  await user.type(await screen.findByLabelText('API key'), 'sk-wrong');
  await user.click(screen.getAllByRole('button', { name: 'Add an account' }).at(-1) ?? document.body);
  await screen.findByText('No answer: the key was refused');
  await user.click(screen.getByRole('button', { name: 'Change the key' }));
  await user.type(await screen.findByLabelText('API key'), 'sk-right');
  script.answer({
    ...added,
    'POST /api/providers/an-account/test': { body: { ok: true, latency_ms: 9, model: 'large', error: null } },
  });
  await user.click(screen.getByRole('button', { name: 'Store and test' }));
  await screen.findByText('large answered in 9 ms');
  const change = script.requests.find(({ method }) => method === 'PATCH');
  expect(JSON.parse(change?.body ?? '{}')).toMatchObject({ credentials: { api_key: 'sk-right' } });
  await waitFor(() => expect(document.body.innerHTML).not.toContain('sk-right'));
});
