import { beforeEach, expect, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { serveScript } from '../../test/support/console/scripted-api.ts';

const script = serveScript();
const ALL = {
  'GET /api/permissions/me': {
    body: { permissions: ['agents.view', 'issues.view', 'projects.view', 'ui.advanced_mode'] },
  },
  'GET /api/agents': {
    body: [{ id: 'an-agent', name: 'Analyst', description: '', is_active: true, tools: [], skills: [] }],
  },
  'GET /api/issues': { body: [{ id: 'an-issue', number: 7, title: 'Login is slow' }] },
  'GET /api/chats': {
    body: [
      { id: 'one', title: 'Weekly report', status: 'idle', updated_at: '2026-11-20T10:00:00Z' },
      { id: 'two', title: 'Weekly report', status: 'idle', updated_at: '2026-11-19T10:00:00Z' },
    ],
  },
};
beforeEach(() => localStorage.clear());

async function openHome() {
  const opened = openConsole(script, `/o/${ORG}`, ALL);
  await screen.findByRole('heading', { level: 1, name: 'Hello, Ada' });
  await screen.findAllByRole('link', { name: 'Agents' });
  return { ...opened, user: userEvent.setup() };
}
const heading = () => screen.findByRole('heading', { level: 1 });

test('a page is reached by two keys, and its heading gets the focus', async () => {
  const { history, user } = await openHome();
  await user.keyboard('ga');
  await waitFor(async () => expect((await heading()).textContent).toBe('Agents'));
  expect([history.location.pathname, document.activeElement]).toEqual([`/o/${ORG}/agents`, await heading()]);
});

test('what is typed on the way to the search goes into its field, and runs no shortcut', async () => {
  const { history, user } = await openHome();
  await user.keyboard('/gc');
  const field = await screen.findByRole<HTMLInputElement>('searchbox', { name: /^Search messages/ });
  await waitFor(() => expect(document.activeElement).toBe(field));
  await waitFor(() => expect(field.value).toBe('gc'));
  expect(history.location.pathname).toBe(`/o/${ORG}/search`);
});

test('`c` begins a chat from anywhere, and `/` searches', async () => {
  const { history, user } = await openHome();
  await user.keyboard('c');
  await waitFor(async () => expect((await heading()).textContent).toBe('New chat'));
  expect(history.location.pathname).toBe(`/o/${ORG}/chats`);
});

test('the palette leads to chats of the same name, agents and issues, and says what each is', async () => {
  const { history, user } = await openHome();
  await user.keyboard('{Control>}k{/Control}');
  const field = await screen.findByRole('combobox', { name: 'Search or jump to' });
  await user.type(field, 'weekly');
  expect(await screen.findAllByRole('option', { name: /Weekly report.*Chat/ })).toHaveLength(2);
  await user.clear(field);
  await user.type(field, 'analyst');
  await screen.findByRole('option', { name: /Analyst.*Agent/ });
  await user.clear(field);
  await user.type(field, 'login');
  await screen.findByRole('option', { name: /#7 Login is slow.*Issue/ });
  await user.keyboard('{Enter}');
  await waitFor(() => expect(history.location.pathname).toBe(`/o/${ORG}/issues/an-issue`));
});

test('the sheet of keys lists each once, gives the focus back, and switches single keys off', async () => {
  const { history, user } = await openHome();
  const opener = screen.getByRole('button', { name: 'Keyboard shortcuts' });
  opener.focus();
  await user.keyboard('?');
  const sheet = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
  const keys = [...sheet.querySelectorAll('dd')].map(({ textContent }) => textContent);
  expect(keys).toEqual([...new Set(keys)]);
  expect(keys).toEqual(expect.arrayContaining(['Ctrl K', '?', 'c', '/', 'gh']));
  await user.click(within(sheet).getByRole('checkbox', { name: 'Single-key shortcuts' }));
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBe(null));
  expect(document.activeElement).toBe(opener);
  await user.keyboard('gs');
  expect(history.location.pathname).toBe(`/o/${ORG}`);
  await user.keyboard('{Control>}k{/Control}');
  await screen.findByRole('combobox', { name: 'Search or jump to' });
});
