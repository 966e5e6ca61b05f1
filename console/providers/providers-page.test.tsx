import { expect, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { serveScript } from '../../test/support/console/scripted-api.ts';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';

const script = serveScript();
const ACCOUNT = {
  id: 'an-account',
  name: 'Work\u2066ing',
  shared: true,
  provider_type: 'openai',
  model_name: null,
  status: 'active',
  cooldown_until: null,
  disabled_reason: null,
  last_used_at: null,
};

test('those who may only look cannot test an account, and are told why', async () => {
  openConsole(script, `/o/${ORG}/providers`, {
    'GET /api/permissions/me': { body: { permissions: ['providers.view'] } },
    'GET /api/providers': { body: [ACCOUNT] },
  });
  await screen.findByText('Work⟨U+2066⟩ing');
  const test = screen.getByRole('button', { name: 'Test' });
  expect(test.title).toBe('Your role does not include the permission providers.manage.');
  await userEvent.click(test);
  expect(script.requests.filter(({ path }) => path.endsWith('/test'))).toEqual([]);
});

test('a key that was entered is not kept once it is sent', async () => {
  const user = userEvent.setup();
  const { cache } = openConsole(script, `/o/${ORG}/providers`, {
    'GET /api/permissions/me': { body: { permissions: ['providers.view', 'providers.manage'] } },
    'GET /api/providers': { body: [] },
    'GET /api/providers/catalog': {
      body: [{ key: 'openai', name: 'OpenAI', auth_type: 'apikey', stream_type: 'openai', available: true }],
    },
    'POST /api/providers': { status: 201, body: ACCOUNT },
  });
  await user.click(await screen.findByRole('button', { name: 'Add an account' }));
  await user.click(await screen.findByPlaceholderText('Search by name'));
  await user.click(await screen.findByText('OpenAI'));
  await user.type(await screen.findByLabelText('API key'), 'sk-secret');
  await user.click(screen.getAllByRole('button', { name: 'Add an account' }).at(-1) ?? document.body);
  await waitFor(() => expect(script.requests.some(({ body }) => body.includes('sk-secret'))).toBe(true));
  await waitFor(() => expect(cache.getMutationCache().getAll()).toEqual([]));
});
