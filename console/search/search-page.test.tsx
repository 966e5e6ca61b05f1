import { expect, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { serveScript } from '../../test/support/console/scripted-api.ts';

const script = serveScript();
const FOUND = {
  chat_id: '0192aaaa-0000-7000-8000-000000000001',
  chat_title: 'Weekly report',
  message_id: '0192aaaa-0000-7000-8000-000000000002',
  excerpt: 'the <mark>quarterly</mark> numbers of &lt;b&gt;',
  role: 'assistant',
  created_at: '2026-11-20T10:00:00Z',
};
const agents = { 'GET /api/agents': { body: [{ id: '1', name: 'Quarterly helper', description: '' }] } };

test('what is searched for is in the address, and what was found leads to its chat', async () => {
  const { history } = openConsole(script, `/o/${ORG}/search`, {
    ...agents,
    'GET /api/chats/search': { body: { results: [FOUND], total: 1, query: 'quarterly' } },
  });
  await screen.findByText(/at least two characters/);
  await userEvent.type(await screen.findByLabelText('Search messages and agents'), 'quarterly');
  const link = await screen.findByRole('link', { name: /Weekly report.*the quarterly numbers of <b>/ });
  expect(link.getAttribute('href')).toBe(`/o/${ORG}/chats/${FOUND.chat_id}?message=${FOUND.message_id}`);
  expect(link.querySelector('mark')?.textContent).toBe('quarterly');
  await screen.findByRole('link', { name: /Quarterly helper/ });
  await waitFor(() => expect(history.location.href).toBe(`/o/${ORG}/search?q=quarterly`));
  expect(document.activeElement).toBe(screen.getByLabelText('Search messages and agents'));
});

test('a character that may be a word is searched for', async () => {
  openConsole(script, `/o/${ORG}/search?q=魚`, {
    ...agents,
    'GET /api/chats/search': { body: { results: [FOUND], total: 1, query: '魚' } },
  });
  await screen.findByRole('link', { name: /Weekly report/ });
});

test('a search that finds nothing says where it has looked', async () => {
  openConsole(script, `/o/${ORG}/search?q=nowhere`, {
    ...agents,
    'GET /api/chats/search': { body: { results: [], total: 0, query: 'nowhere' } },
  });
  await screen.findByText('Nothing has “nowhere” in it');
  await screen.findByText(/messages of your chats/);
});

test('issues are found by those who see them', async () => {
  openConsole(script, `/o/${ORG}/search?q=login`, {
    'GET /api/permissions/me': { body: { permissions: ['issues.view', 'ui.advanced_mode'] } },
    'GET /api/issues': { body: [{ id: 'an-issue', number: 7, title: 'Login is slow' }] },
    'GET /api/chats/search': { body: { results: [], total: 0, query: 'login' } },
  });
  const link = await screen.findByRole('link', { name: '#7 Login is slow' });
  expect(link.getAttribute('href')).toBe(`/o/${ORG}/issues/an-issue`);
  screen.getByLabelText('Search messages and issues');
});

test.each([
  ['Search messages', []],
  ['Search messages, agents and issues', ['ui.advanced_mode']],
])('the search promises only what it shows: %s', async (label, rights) => {
  openConsole(script, `/o/${ORG}/search`, {
    'GET /api/permissions/me': { body: { permissions: ['agents.view', 'issues.view', ...rights] } },
  });
  await screen.findByLabelText(label);
});
