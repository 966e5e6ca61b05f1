import { beforeEach, expect, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { serveScript } from '../../test/support/console/scripted-api.ts';

const script = serveScript();

// What a test has typed would be the draft of the next one.
beforeEach(() => localStorage.clear());
const ACCOUNT = {
  id: 'an-account',
  owner_id: 'ada',
  name: 'Working',
  provider_type: 'openai',
  auth_type: 'apikey',
  base_url: null,
  model_name: null,
  cooldown_seconds: 60,
  shared: true,
  has_credentials: true,
  status: 'active',
  cooldown_until: null,
  disabled_reason: null,
  last_used_at: null,
  updated_at: '2026-11-25T10:00:00Z',
};
const ENTRY = {
  key: 'openai',
  name: 'OpenAI',
  auth_type: 'apikey',
  auth_types: ['apikey'],
  credential_forms: [
    {
      key: 'api_key',
      name: 'API key',
      entries: [{ name: 'api_key', description: 'A key.', format: 'token', is_optional: false, is_secret: true }],
    },
  ],
  base_url: 'https://api.example.com/v1',
  models: ['known-model'],
};
const at = `/o/${ORG}/providers/an-account`;
const answersFor = (permissions: readonly string[], more = {}) => ({
  'GET /api/permissions/me': { body: { permissions } },
  'GET /api/providers': { body: [ACCOUNT] },
  'GET /api/providers/an-account': { body: ACCOUNT },
  'GET /api/providers/catalog': { body: [ENTRY] },
  ...more,
});
const MANAGER = ['providers.view', 'providers.manage', 'settings.manage'];

test('a model is chosen of those that the provider offers, which is asked only then', async () => {
  const user = userEvent.setup();
  const offered = { 'GET /api/providers/an-account/models': { body: [{ id: 'offered-model', name: null }] } };
  const { history } = openConsole(
    script,
    at,
    answersFor(MANAGER, { ...offered, 'PATCH /api/providers/an-account': { body: ACCOUNT } }),
  );
  const model = await screen.findByLabelText('Model');
  expect(script.requests.some(({ path }) => path.endsWith('/models'))).toBe(false);
  await user.click(model);
  await user.click(await screen.findByText('offered-model'));
  await user.type(screen.getByLabelText('API key'), 'sk-new');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(script.requests.some(({ method }) => method === 'PATCH')).toBe(true));
  const change = script.requests.find(({ method }) => method === 'PATCH');
  expect(JSON.parse(change?.body ?? '')).toEqual({
    model_name: 'offered-model',
    auth_type: 'apikey',
    credentials: { api_key: 'sk-new' },
  });
  expect(change?.headers['if-match']).toBe(`"${ACCOUNT.updated_at}"`);
  expect(history.location.pathname).toBe(at);
});

test('a provider that tells no models leaves those that are known, and says why', async () => {
  const none = { 'GET /api/providers/an-account/models': { status: 502, body: { detail: 'it has no list' } } };
  openConsole(script, at, answersFor(MANAGER, none));
  await userEvent.click(await screen.findByLabelText('Model'));
  await screen.findByText(/It listed none itself: it has no list/);
  await screen.findByText('known-model');
});

test('a new address without the key is refused at the field of the key', async () => {
  const user = userEvent.setup();
  const issue = { loc: ['body', 'credentials'], msg: 'must be given again when base_url changes' };
  const refused = { 'PATCH /api/providers/an-account': { status: 422, body: { detail: [issue] } } };
  openConsole(script, at, answersFor(MANAGER, refused));
  await user.type(await screen.findByLabelText('Base URL'), 'https://other.example.com');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText(issue.msg);
  expect(document.activeElement).toBe(screen.getByLabelText('API key'));
  expect(screen.getByLabelText<HTMLInputElement>('Base URL').value).toBe('https://other.example.com');
});

test('the account of somebody else can be looked at only, and says why', async () => {
  openConsole(script, at, {
    ...answersFor(['providers.view', 'providers.manage']),
    'GET /api/providers/an-account': { body: { ...ACCOUNT, owner_id: 'somebody' } },
  });
  await screen.findByRole('heading', { level: 1, name: 'Working' });
  for (const name of ['Test', 'Save', 'Delete', 'Delete permanently'])
    expect((await screen.findByRole('button', { name })).title).toBe(
      'Only its owner and administrators may change this account.',
    );
});

test('what was deleted is brought back by Undo', async () => {
  const user = userEvent.setup();
  const { history } = openConsole(
    script,
    at,
    answersFor(MANAGER, {
      'DELETE /api/providers/an-account': { status: 204 },
      'PATCH /api/providers/an-account/restore': { body: ACCOUNT },
    }),
  );
  await user.click(await screen.findByRole('button', { name: 'Delete' }));
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(script.requests.some(({ path }) => path.endsWith('/restore'))).toBe(true));
  await waitFor(() => expect(history.location.pathname).toBe(`/o/${ORG}/providers`));
});

const entryOf = (name: string, more = {}) => ({
  name,
  description: `The ${name}.`,
  format: 'token',
  is_optional: false,
  is_secret: true,
  ...more,
});

test('keys of several entries are replaced as a whole, and what is wrong with one is said there', async () => {
  const user = userEvent.setup();
  const forms = [
    { key: 'api_key', name: 'API key', entries: [entryOf('api_key')] },
    {
      key: 'aws_keys',
      name: 'Access key of AWS',
      entries: [
        entryOf('access_key_id', { is_secret: false }),
        entryOf('secret_access_key'),
        entryOf('region', { format: 'region', is_secret: false, is_optional: true }),
      ],
    },
  ];
  const issue = { loc: ['body', 'credentials', 'region'], msg: 'must have the entry region' };
  openConsole(script, at, {
    ...answersFor(MANAGER),
    'GET /api/providers/catalog': { body: [{ ...ENTRY, credential_forms: forms }] },
    'PATCH /api/providers/an-account': { status: 422, body: { detail: [issue] } },
  });
  await user.click(await screen.findByRole('combobox', { name: 'How it signs in' }));
  const keeps = 'Leave empty to keep';
  expect(screen.getByLabelText<HTMLInputElement>('API key').required).toBe(false);
  await user.click(await screen.findByRole('option', { name: 'Access key of AWS' }));
  expect(screen.queryByText(keeps, { exact: false })).toBe(null);
  expect(screen.getByLabelText<HTMLInputElement>('Access key ID').required).toBe(true);
  await user.type(screen.getByLabelText('Access key ID'), 'AKID');
  await user.type(screen.getByLabelText('Secret access key'), 'very-secret');
  expect(screen.getByLabelText<HTMLInputElement>('Secret access key').type).toBe('password');
  expect(screen.getByLabelText<HTMLInputElement>('Region').type).toBe('text');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText(issue.msg);
  expect(document.activeElement).toBe(screen.getByLabelText('Region'));
  const change = script.requests.find(({ method }) => method === 'PATCH');
  expect(JSON.parse(change?.body ?? '')).toEqual({
    auth_type: 'apikey',
    credentials: { access_key_id: 'AKID', secret_access_key: 'very-secret' },
  });
});

test('the key of a server that needs none is taken away', async () => {
  const user = userEvent.setup();
  openConsole(script, at, {
    ...answersFor(MANAGER),
    'GET /api/providers/catalog': { body: [{ ...ENTRY, auth_types: ['apikey', 'none'] }] },
    'PATCH /api/providers/an-account': { body: ACCOUNT },
  });
  await user.click(await screen.findByRole('combobox', { name: 'How it signs in' }));
  await user.click(await screen.findByRole('option', { name: 'No key' }));
  expect(screen.queryByLabelText('API key')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(script.requests.some(({ method }) => method === 'PATCH')).toBe(true));
  const change = script.requests.find(({ method }) => method === 'PATCH');
  expect(JSON.parse(change?.body ?? '')).toEqual({ auth_type: 'none', credentials: {} });
});
