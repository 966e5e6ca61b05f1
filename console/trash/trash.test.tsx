import { expect, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { type Answer, serveScript } from '../../test/support/console/scripted-api.ts';

const script = serveScript();
const AGO = new Date(Date.now() - 2 * 86_400_000).toISOString();
const AHEAD = new Date(Date.now() + 12 * 86_400_000).toISOString();
const CHAT = { id: 'a-chat', title: 'Old talk', deleted_at: AGO, purge_at: AHEAD };
const ACCOUNT = { id: 'an-account', name: 'Work\u2066ing', deleted_at: AGO, deleted_by: 'grace' };
const EVERY_RIGHT = ['agents.manage', 'providers.manage', 'projects.manage'];
const PERMISSIONS = 'GET /api/permissions/me';

const open = (tab: string, answers: Readonly<Record<string, Answer>>) =>
  openConsole(script, `/o/${ORG}/trash${tab}`, {
    [PERMISSIONS]: { body: { permissions: EVERY_RIGHT } },
    [`GET /api/orgs/${ORG}/members`]: {
      body: [{ user_id: 'grace', full_name: 'Grace Hopper', email: 'grace@example.com', role: 'admin' }],
    },
    ...answers,
  });

test('who may restore nothing but their own chats is shown these alone, whatever the address says', async () => {
  open('?of=agents', { [PERMISSIONS]: { body: { permissions: ['agents.view'] } }, 'GET /api/chats': { body: [CHAT] } });
  const row = within(await screen.findByRole('row', { name: /^Old talk/ }));
  expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual(['Chats']);
  row.getByText('2 days ago');
  row.getByText('in 2 weeks');
  expect(script.requests.some(({ path }) => path === '/api/agents')).toBe(false);
});

test('chats that are kept for ever and those whose time has come are told apart', async () => {
  open('', {
    'GET /api/chats': {
      body: [
        { ...CHAT, id: 'kept', title: 'Kept', purge_at: null },
        { ...CHAT, id: 'due', title: '', purge_at: AGO },
      ],
    },
  });
  within(await screen.findByRole('row', { name: /^Kept/ })).getByText('never');
  within(screen.getByRole('row', { name: /^Untitled chat/ })).getByText('any moment');
});

test('a restored record leads to its page; one that cannot be restored says why and stays', async () => {
  const user = userEvent.setup();
  const { history } = open('?of=agents', {
    'GET /api/agents': {
      body: [
        { id: 'first', name: 'First', deleted_at: AGO, deleted_by: 'ada' },
        { id: 'second', name: 'Second', deleted_at: AGO, deleted_by: null },
      ],
    },
    'PATCH /api/agents/first/restore': { body: {} },
    'PATCH /api/agents/second/restore': { status: 409, body: { detail: 'There are too many agents' } },
  });
  await within(await screen.findByRole('row', { name: /^First/ })).findByText('you');
  within(screen.getByRole('row', { name: /^Second/ })).getByText('unknown');
  await user.click(screen.getByRole('button', { name: 'Restore Second' }));
  expect((await screen.findAllByText('There are too many agents')).length).toBeGreaterThan(0);
  screen.getByRole('row', { name: /^Second/ });
  await user.click(screen.getByRole('button', { name: 'Restore First' }));
  await user.click(await screen.findByRole('button', { name: 'Open' }));
  await waitFor(() => expect(history.location.pathname).toBe(`/o/${ORG}/agents/first`));
});

test('the key of a provider account goes for good only once the name was typed', async () => {
  const user = userEvent.setup();
  open('?of=providers', {
    'GET /api/providers': { body: [{ ...ACCOUNT, name: 'Working' }] },
    'DELETE /api/providers/an-account/purge': { status: 204 },
  });
  await within(await screen.findByRole('row', { name: /^Working/ })).findByText('Grace Hopper');
  await user.click(screen.getByRole('button', { name: 'Delete permanently: Working' }));
  const dialog = within(await screen.findByRole('dialog'));
  const purged = () => script.requests.filter(({ method }) => method === 'DELETE');
  await user.click(dialog.getByRole('button', { name: 'Delete permanently' }));
  expect(purged()).toEqual([]);
  await user.type(dialog.getByRole('textbox'), 'Working');
  await user.click(dialog.getByRole('button', { name: 'Delete permanently' }));
  await screen.findAllByText('Working was deleted permanently');
  expect(purged()).toHaveLength(1);
});

test('characters that do not show are shown, and those who have left have no name', async () => {
  open('?of=providers', { 'GET /api/providers': { body: [{ ...ACCOUNT, deleted_by: 'nobody' }] } });
  await screen.findByText('Work⟨U+2066⟩ing');
  await screen.findByText('a former member');
});
