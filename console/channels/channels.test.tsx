import { expect, test } from '@jest/globals';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { serveScript } from '../../test/support/console/scripted-api.ts';
import { bodyOf, NEW_CHANNEL } from './channel-fields.tsx';
import type { Channel } from './queries.ts';

const script = serveScript();
const channel: Channel = {
  id: 'c1',
  owner_id: 'ada',
  name: 'Sales',
  kind: 'slack',
  agent_id: 'a1',
  integration_id: 'i1',
  matches_email: true,
  people: {},
  mail: null,
  is_active: true,
  events_url: 'https://everturn.example.com/api/channels/c1/events',
  error: 'missing_scope',
  created_at: '2026-11-20T10:00:00.000Z',
  updated_at: '2026-11-20T10:00:00.000Z',
};
const permissions = ['channels.view', 'channels.manage', 'settings.manage', 'ui.advanced_mode'];

test('a channel shows where its events go and why it does not answer, and is turned off', async () => {
  openConsole(script, `/o/${ORG}/channels/c1`, {
    'GET /api/permissions/me': { body: { permissions, is_restricted: false } },
    'GET /api/channels/c1': { body: channel },
    'GET /api/integrations': { body: [{ id: 'i1', kind: 'slack', name: 'Slack' }] },
    'GET /api/agents': { body: [{ id: 'a1', name: 'Helper' }] },
    'PATCH /api/channels/c1': { body: { ...channel, is_active: false } },
  });
  await screen.findByText(channel.events_url);
  await screen.findByText('The last message was not answered: missing_scope');
  const turnOff = screen.getByRole('button', { name: 'Turn off' });
  await waitFor(() => expect(turnOff.getAttribute('aria-disabled')).toBeNull());
  fireEvent.click(turnOff);
  await screen.findByText('Messages are ignored');
  expect(script.requests.find(({ method }) => method === 'PATCH')?.body).toBe('{"is_active":false}');
});

test('a channel that somebody else has added is left to them', async () => {
  const own = permissions.filter((key) => key !== 'settings.manage');
  openConsole(script, `/o/${ORG}/channels/c1`, {
    'GET /api/permissions/me': { body: { permissions: own, is_restricted: false } },
    'GET /api/channels/c1': { body: { ...channel, owner_id: 'somebody-else' } },
    'GET /api/integrations': { body: [] },
    'GET /api/agents': { body: [] },
  });
  await screen.findByText(channel.events_url);
  await waitFor(() =>
    expect(screen.getByRole('button', { name: 'Turn off' }).getAttribute('aria-disabled')).toBe('true'),
  );
});

test('channels are listed with their kind and state', async () => {
  openConsole(script, `/o/${ORG}/channels`, {
    'GET /api/permissions/me': { body: { permissions, is_restricted: false } },
    'GET /api/channels': { body: [channel, { ...channel, id: 'c2', kind: 'email', name: 'Help', error: null }] },
  });
  expect((await screen.findByRole('row', { name: /Sales/ })).textContent).toBe('SalesSlackfailing');
  expect((await screen.findByRole('row', { name: /Help/ })).textContent).toBe('HelpE-mailon');
});

test('a mailbox shows its address, its mail service, and the integrations that send mail', async () => {
  const mail = { address: 'agents@example.com', auth_service: 'mx.example.com' };
  openConsole(script, `/o/${ORG}/channels/c1`, {
    'GET /api/permissions/me': { body: { permissions, is_restricted: false } },
    'GET /api/channels/c1': { body: { ...channel, kind: 'email', mail } },
    'GET /api/integrations': { body: [{ id: 'i1', kind: 'smtp', name: 'Outgoing mail' }] },
    'GET /api/agents': { body: [{ id: 'a1', name: 'Helper' }] },
  });
  await screen.findByDisplayValue(mail.address);
  await screen.findByDisplayValue(mail.auth_service);
  await screen.findByDisplayValue('Outgoing mail');
  await screen.findByText(/posts each mail as it was received/);
});

test('the form of a channel sends no empty secret, which would replace the stored one', () => {
  expect(bodyOf({ secret: '', name: 'Renamed' }, NEW_CHANNEL)).toEqual({ name: 'Renamed' });
  const values = { ...NEW_CHANNEL, agent_id: 'a1', integration_id: 'i1', secret: 'a secret' };
  expect(bodyOf(values, values)).toEqual({
    name: '',
    agent_id: 'a1',
    integration_id: 'i1',
    secret: 'a secret',
    matches_email: true,
    people: {},
  });
});

test('the form of a mailbox sends its address and its mail service together', () => {
  const mail = { address: 'agents@example.com', auth_service: 'mx.example.com' };
  const values = { ...NEW_CHANNEL, ...mail, kind: 'email' as const };
  expect(bodyOf({ auth_service: mail.auth_service }, values)).toEqual({ mail });
  expect(bodyOf({ name: 'Renamed' }, values)).toEqual({ name: 'Renamed' });
});
