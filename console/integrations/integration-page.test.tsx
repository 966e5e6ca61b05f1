import { expect, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { serveScript } from '../../test/support/console/scripted-api.ts';

const script = serveScript();
const TIME = '2026-11-22T09:30:00.000Z';
const TRACKER = {
  id: 'tracker',
  owner_id: 'ada',
  kind: 'http',
  name: 'Tracker',
  base_url: 'https://tracker.example.com',
  api_url: 'https://tracker.example.com',
  credential_fields: ['api_key'],
  has_credentials: true,
  settings: {},
  secret_places: ['header'],
  command_variables: { TRACKER_TOKEN: 'api_key' },
  test_request: { path: '/me', headers: { 'X-Api-Key': '{{ secret.api_key }}' } },
  status: 'unchecked',
  checked_at: null,
  signed_in_at: null,
  used_at: null,
  error: null,
  account: null,
  created_at: TIME,
  updated_at: TIME,
};
const HTTP = {
  kind: 'http',
  name: 'HTTP API',
  description: 'Any API',
  base_url: null,
  requires_base_url: true,
  schemes: ['https'],
  fields: [],
  alternatives: [],
  combinable: [],
  settings: [],
  oauth: null,
  tools: [],
  takes_own_fields: true,
  secret_places: ['header', 'query'],
  takes_test_request: true,
};

test('credentials, variables and the test of an integration of any API are fields, without JSON', async () => {
  const user = userEvent.setup();
  openConsole(script, `/o/${ORG}/integrations/tracker`, {
    'GET /api/permissions/me': {
      body: { permissions: ['integrations.view', 'integrations.manage', 'settings.manage', 'ui.advanced_mode'] },
    },
    'GET /api/integrations/tracker': { body: TRACKER },
    'GET /api/integrations/kinds': { body: [HTTP] },
    'PATCH /api/integrations/tracker': { body: TRACKER },
  });
  const path = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Test request' });
  expect(path.value).toBe('/me');
  expect(document.querySelector('[data-editor]')).toBe(null);
  const text = (name: string) => screen.getByRole<HTMLTextAreaElement>('textbox', { name });
  expect(text('Value of X-Api-Key').value).toBe('{{ secret.api_key }}');
  expect(text('Value of TRACKER_TOKEN').value).toBe('api_key');
  await user.type(path, '/self');
  await user.click(screen.getByRole('button', { name: 'Remove X-Api-Key' }));
  await user.click(screen.getByRole('button', { name: 'Add to Credentials' }));
  await user.type(text('Credentials: name'), 'api_key');
  const secret = screen.getByLabelText<HTMLInputElement>('Value of api_key');
  expect(secret.type).toBe('password');
  await user.type(secret, 'new');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(script.requests.some(({ method }) => method === 'PATCH')).toBe(true));
  const { body = '' } = script.requests.find(({ method }) => method === 'PATCH') ?? {};
  expect(JSON.parse(body)).toEqual({ test_request: { path: '/me/self' }, credentials: { api_key: 'new' } });
});
