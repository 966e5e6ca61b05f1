import { expect, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { serveScript } from '../../test/support/console/scripted-api.ts';

const script = serveScript();
const ACCOUNT = {
  id: 'an-account',
  owner_id: 'ada',
  auth_type: 'apikey',
  base_url: null,
  cooldown_seconds: 60,
  has_credentials: true,
  updated_at: '2026-11-25T10:00:00Z',
  name: 'Work\u2066ing',
  shared: true,
  provider_type: 'openai',
  model_name: null,
  status: 'active',
  cooldown_until: null,
  disabled_reason: null,
  last_used_at: null,
  last_failure: null,
  last_failed_at: null,
};
const KEY = { name: 'api_key', description: 'A key.', format: 'token', is_optional: false, is_secret: true };

test('those who may only look cannot test an account, and are told why', async () => {
  openConsole(script, `/o/${ORG}/providers`, {
    'GET /api/permissions/me': { body: { permissions: ['providers.view'] } },
    'GET /api/providers': { body: [ACCOUNT] },
  });
  await screen.findByText('Work⟨U+2066⟩ing');
  const test = screen.getByRole('button', { name: 'Test' });
  expect(test.title).toBe('Your role does not include the permission “Providers and chains: view and change”.');
  await userEvent.click(test);
  expect(script.requests.filter(({ path }) => path.endsWith('/test'))).toEqual([]);
});

test('a key that was entered is not kept once it is sent', async () => {
  const user = userEvent.setup();
  const { cache } = openConsole(script, `/o/${ORG}/providers`, {
    'GET /api/permissions/me': { body: { permissions: ['providers.view', 'providers.manage'] } },
    'GET /api/providers': { body: [] },
    'GET /api/providers/catalog': {
      body: [
        {
          key: 'openai',
          name: 'OpenAI',
          auth_type: 'apikey',
          auth_types: ['apikey'],
          credential_forms: [{ key: 'api_key', name: 'API key', entries: [KEY] }],
          base_url: null,
          models: [],
          stream_type: 'openai',
          available: true,
        },
      ],
    },
    'POST /api/providers': { status: 201, body: ACCOUNT },
  });
  await user.click(await screen.findByRole('button', { name: 'Add an account' }));
  await user.click(await screen.findByPlaceholderText('Search 1 provider by name'));
  await user.click(await screen.findByText('OpenAI'));
  await user.type(await screen.findByLabelText('API key'), 'sk-secret');
  await user.click(screen.getAllByRole('button', { name: 'Add an account' }).at(-1) ?? document.body);
  await screen.findByText(/ was added and answers\./);
  expect(script.requests.filter(({ body }) => body.includes('sk-secret'))).toHaveLength(1);
  expect(document.body.innerHTML).not.toContain('sk-secret');
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBe(null));
  await waitFor(() => expect(JSON.stringify(cache.getMutationCache().getAll())).not.toContain('sk-secret'));
});

test('an account whose last call failed says so instead of being active, and what the demo model is for', async () => {
  const failing = { ...ACCOUNT, last_failure: 'OpenAI could not be reached', last_failed_at: new Date().toISOString() };
  openConsole(script, `/o/${ORG}/providers`, {
    'GET /api/permissions/me': { body: { permissions: ['providers.view'] } },
    'GET /api/providers': { body: [failing] },
  });
  await screen.findByText('failing');
  await screen.findByText('Last call failed now: OpenAI could not be reached');
  expect(screen.queryByText('active')).toBe(null);
  await screen.findByText(/^A script that needs no key/);
});

test('a row says how its test went, and what to do about an account that is not used any more', async () => {
  const disabled = { ...ACCOUNT, name: 'Old', status: 'disabled', disabled_reason: 'The key was refused' };
  openConsole(script, `/o/${ORG}/providers`, {
    'GET /api/permissions/me': { body: { permissions: ['providers.view', 'providers.manage'] } },
    'GET /api/providers': { body: [disabled] },
    'POST /api/providers/an-account/test': { body: { ok: false, latency_ms: null, model: null, error: 'no such key' } },
  });
  await screen.findByText('The key was refused');
  expect(screen.getByRole('link', { name: 'Paste a new key' }).getAttribute('href')).toBe(
    `/o/${ORG}/providers/an-account`,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Test' }));
  await screen.findByText('No answer: no such key');
});

test('an account that cools down counts the time down', async () => {
  const until = new Date(Date.now() + 179_000).toISOString();
  openConsole(script, `/o/${ORG}/providers`, {
    'GET /api/permissions/me': { body: { permissions: ['providers.view'] } },
    'GET /api/providers': { body: [{ ...ACCOUNT, status: 'cooling_down', cooldown_until: until }] },
  });
  const first = (await screen.findByRole('timer')).textContent;
  expect(first).toMatch(/^back in 2 min \d+ s$/);
  await waitFor(() => expect(screen.getByRole('timer').textContent).not.toBe(first));
});
