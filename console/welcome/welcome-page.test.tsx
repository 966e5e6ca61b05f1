import { expect, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { serveScript } from '../../test/support/console/scripted-api.ts';
import { openConsole } from '../../test/support/console/opened-console.tsx';

const script = serveScript();
const TEMPLATES = {
  'GET /api/agents/templates': { body: [{ slug: 'helper', name: 'Helper', description: '', tools: [] }] },
};

async function openAgentStep(...permissions: string[]) {
  openConsole(script, '/welcome', { ...TEMPLATES, 'GET /api/permissions/me': { body: { permissions } } });
  await userEvent.click(await screen.findByRole('button', { name: /^Demo model/ }));
  await screen.findByRole('heading', { name: 'Choose an agent' });
}

test('those who may add an agent choose a template', async () => {
  await openAgentStep('agents.manage');
  await screen.findByRole('button', { name: /^Helper/ });
});

const ACCOUNT = {
  id: 'a',
  name: 'Ours',
  provider_type: 'openai',
  status: 'active',
  disabled_reason: null,
  last_failure: null,
};
const KEY = { name: 'api_key', description: 'A key.', format: 'token', is_optional: false, is_secret: true };
const CATALOG = {
  'GET /api/permissions/me': { body: { permissions: ['providers.view', 'providers.manage'] } },
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
        stream_type: 'openai_compat',
        available: true,
      },
    ],
  },
};

test('a key that does not work leads back to the demo model, and nothing of it is kept', async () => {
  const refused = { detail: [{ type: 'provider_failed', loc: ['body'], msg: 'OpenAI refused the key.' }] };
  openConsole(script, '/welcome', {
    ...TEMPLATES,
    ...CATALOG,
    'GET /api/providers': { body: [] },
    'POST /api/providers': { status: 422, body: refused },
  });
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: /^Your own provider/ }));
  await user.type(await screen.findByRole('combobox', { name: 'Provider' }), 'openai{Enter}');
  await user.type(await screen.findByLabelText('API key'), 'sk-wrong');
  await user.click(screen.getByRole('button', { name: 'Add an account' }));
  await screen.findByText('The account was not added. OpenAI refused the key.');
  expect(screen.queryByRole('button', { name: /Continue|without/ })).toBe(null);
  await user.click(screen.getByRole('button', { name: 'Back' }));
  await user.click(await screen.findByRole('button', { name: /^Your own provider/ }));
  await user.type(await screen.findByRole('combobox', { name: 'Provider' }), 'openai{Enter}');
  await user.type(await screen.findByLabelText('API key'), 'sk-wrong');
  await user.click(screen.getByRole('button', { name: 'Add an account' }));
  await user.click(await screen.findByRole('button', { name: 'Use the demo model instead' }));
  await screen.findByRole('heading', { name: 'Choose an agent' });
});

test('an account that is there already takes the place of the demo model', async () => {
  const disabled = { ...ACCOUNT, id: 'b', name: 'Old', status: 'disabled', disabled_reason: 'The key was refused' };
  openConsole(script, '/welcome', { ...TEMPLATES, ...CATALOG, 'GET /api/providers': { body: [disabled, ACCOUNT] } });
  await userEvent.click(await screen.findByRole('button', { name: /^Continue with Ours/ }));
  await screen.findByRole('heading', { name: 'Choose an agent' });
});

test('an account that fails leads to where it is fixed, and not to a chat that fails', async () => {
  const account = { ...ACCOUNT, last_failure: 'Ours could not be reached' };
  const { history } = openConsole(script, '/welcome', {
    ...TEMPLATES,
    ...CATALOG,
    'GET /api/providers': { body: [account] },
  });
  await userEvent.click(await screen.findByRole('button', { name: 'Fix Ours Ours could not be reached' }));
  expect(screen.queryByRole('button', { name: /^Demo model/ })).toBe(null);
  await waitFor(() => expect(history.location.pathname).toMatch(/\/providers\/a$/));
});

test('those who may not are told so, and can go on', async () => {
  await openAgentStep('agents.view');
  await screen.findByText('Your role does not include the permission “Agents: view and change”.');
  expect(screen.queryByRole('button', { name: /^Helper/ })).toBe(null);
  expect(screen.getByRole('button', { name: 'Skip' })).toBeTruthy();
});
