import { beforeEach, expect, test } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { type Answer, serveScript } from '../../test/support/console/scripted-api.ts';

const CHAT = '019aa4c7-5d10-7cf3-9a5e-3f1f6c0b8d22';
const script = serveScript();
const chat = {
  id: CHAT,
  title: 'read them',
  agent_id: 'other',
  user_id: 'ada',
  parent_chat_id: null,
  project_id: null,
  provider_chain_id: null,
  shared: false,
  status: 'idle',
  waiting_for: null,
  waiting_until: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
};
// jsdom takes uploads for requests to another origin.
const CORS = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'authorization, x-org-id' };
const stored = (id: string, name: string) => ({ id, name, chat_id: CHAT, size: 5, media_type: 'text/plain' });
const ANSWERS: Record<string, Answer> = {
  'GET /api/agents': {
    body: [
      { id: 'agent', name: 'Analyst', description: '', is_active: true, tools: ['time_now'], skills: [] },
      { id: 'other', name: 'Writer', description: '', is_active: true, tools: [], skills: [] },
    ],
  },
  'POST /api/chats': { status: 201, body: chat },
  [`GET /api/chats/${CHAT}`]: { body: chat },
  [`GET /api/chats/${CHAT}/messages`]: { body: [] },
  [`GET /api/chats/${CHAT}/files`]: { body: [stored('file', 'notes.txt')] },
  [`OPTIONS /api/chats/${CHAT}/files`]: { status: 204, headers: CORS },
  [`POST /api/chats/${CHAT}/files`]: { status: 201, headers: CORS, body: stored('file', 'notes.txt') },
  [`POST /api/chats/${CHAT}/stream`]: {
    headers: { 'content-type': 'text/event-stream' },
    body: 'event: stream_start\n\n',
  },
};

beforeEach(() => {
  localStorage.clear();
  globalThis.WebSocket = class extends EventTarget {
    close() {}
    send() {}
  } as unknown as typeof WebSocket;
});

async function openNewChat(answers: Record<string, Answer> = {}) {
  const opened = openConsole(script, `/o/${ORG}/chats`, { ...ANSWERS, ...answers });
  await screen.findByRole('combobox', { name: 'Agent' });
  return { ...opened, user: userEvent.setup() };
}
const composer = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Message' });
const files = () => screen.findByRole('list', { name: 'Files of the message' });
const sent = () => script.requests.filter(({ method, path }) => method === 'POST' && path.startsWith('/api/chats'));
const bodiesOf = (path: string) => sent().flatMap((each) => (each.path === path ? [JSON.parse(each.body)] : []));

test('a first message that fits the tools of the agent is one click away', async () => {
  const { user, history } = await openNewChat();
  await user.click(await screen.findByRole('button', { name: 'What time is it?' }));
  await waitFor(() => expect(history.location.pathname).toBe(`/o/${ORG}/chats/${CHAT}`));
  await waitFor(() => {
    const sent = script.requests.find(({ path }) => path.endsWith('/stream'));
    expect(JSON.parse(sent?.body ?? '{}')).toMatchObject({ content: 'What time is it?' });
  });
});

async function attach(user: ReturnType<typeof userEvent.setup>, ...names: string[]) {
  const input = document.querySelector<HTMLInputElement>('input[type=file]');
  await user.upload(
    input ?? document.createElement('input'),
    names.map((name) => new File(['hello'], name)),
  );
}

test('a chat begins with the chosen agent and the files that were attached before it, in one message', async () => {
  const { history, user } = await openNewChat();
  await user.click(screen.getByRole('combobox', { name: 'Agent' }));
  await user.click(await screen.findByRole('option', { name: 'Writer' }));
  await attach(user, 'notes.txt');
  expect(within(await files()).getByText('notes.txt')).toBeTruthy();
  await user.type(await composer(), 'read them{Enter}');
  await waitFor(() => expect(bodiesOf(`/api/chats/${CHAT}/stream`)).toHaveLength(1));
  expect(bodiesOf('/api/chats')).toEqual([{ agent_id: 'other' }]);
  expect(bodiesOf(`/api/chats/${CHAT}/stream`)).toMatchObject([{ content: 'read them', file_ids: ['file'] }]);
  expect(history.location.pathname).toBe(`/o/${ORG}/chats/${CHAT}`);
  expect((await composer()).value).toBe('');
});

test('the composer gets the focus back when a new chat is asked for where one begins already', async () => {
  const { history, user } = await openNewChat();
  await waitFor(async () => expect(document.activeElement).toBe(await composer()));
  await user.keyboard('Hello');
  const [link] = screen.getAllByRole('link', { name: 'Chats' });
  await user.click(link ?? document.body);
  await user.keyboard(', you');
  expect((await composer()).value).toBe('Hello, you');
  act(() => screen.getByRole('heading', { level: 1 }).focus());
  await user.keyboard('c two');
  expect((await composer()).value).toBe('Hello, you two');
  expect(history.location.pathname).toBe(`/o/${ORG}/chats`);
});

test('a file that is not taken keeps the message in the composer of the chat until it is sent again', async () => {
  const { user } = await openNewChat({
    [`POST /api/chats/${CHAT}/files`]: { status: 409, headers: CORS, body: { detail: 'The organization has no room' } },
  });
  await attach(user, 'notes.txt');
  await user.type(await composer(), 'read them{Enter}');
  await screen.findByText('not uploaded: The organization has no room');
  expect((await composer()).value).toBe('read them');
  script.answer({ ...ANSWERS, 'GET /api/permissions/me': { body: { permissions: [] } } });
  await user.click(screen.getByRole('button', { name: 'Retry' }));
  await waitFor(() => expect(bodiesOf(`/api/chats/${CHAT}/stream`)).toMatchObject([{ file_ids: ['file'] }]));
});

test('a chat that is refused leaves the words and the files where they are, also on the way to another page', async () => {
  const { history, user } = await openNewChat({
    'POST /api/chats': { status: 409, body: { detail: 'The organization has no room' } },
  });
  await attach(user, 'notes.txt', 'more.txt');
  await user.type(await composer(), 'read them{Enter}');
  await screen.findAllByText('The organization has no room');
  expect((await composer()).value).toBe('read them');
  await user.click(screen.getAllByRole('link', { name: 'Home' })[0] ?? document.body);
  await screen.findByRole('heading', { level: 1, name: 'Hello, Ada' });
  act(() => history.back());
  expect((await composer()).value).toBe('read them');
  expect([...(await files()).children].map(({ textContent }) => textContent)).toEqual(['notes.txt5 B', 'more.txt5 B']);
});

test('its owner chooses the chain of a chat, and sees why it cannot be shared', async () => {
  const may = { body: { permissions: ['providers.view', 'agents.view', 'ui.advanced_mode'] } };
  openConsole(script, `/o/${ORG}/chats/${CHAT}?panel=details`, {
    ...ANSWERS,
    'GET /api/permissions/me': may,
    'GET /api/providers/chains': { body: [{ id: 'main', name: 'Main', steps: [] }] },
    [`PATCH /api/chats/${CHAT}/provider-chain`]: { body: { ...chat, provider_chain_id: 'main' } },
  });
  const choice = await screen.findByRole('combobox', { name: 'Provider chain' });
  expect(choice.textContent).toBe("Agent's default");
  expect(screen.getByText('Only project chats can be shared.')).toBeTruthy();
  await userEvent.click(choice);
  await userEvent.click(await screen.findByRole('option', { name: 'Main' }));
  await waitFor(() =>
    expect(script.requests.find(({ path }) => path.endsWith('/provider-chain'))?.body).toBe(
      '{"provider_chain_id":"main"}',
    ),
  );
});

test('a deleted chat is left, and comes back by "Undo"', async () => {
  const { history } = openConsole(script, `/o/${ORG}/chats/${CHAT}`, {
    ...ANSWERS,
    [`DELETE /api/chats/${CHAT}`]: { status: 204 },
    [`PATCH /api/chats/${CHAT}/restore`]: { body: chat },
  });
  await userEvent.click(await screen.findByRole('button', { name: 'More actions' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Delete chat' }));
  await screen.findByRole('heading', { level: 1, name: 'New chat' });
  expect(history.location.pathname).toBe(`/o/${ORG}/chats`);
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(history.location.pathname).toBe(`/o/${ORG}/chats/${CHAT}`));
});

test('who has used up their budget is told when some of it is free again', async () => {
  const at = new Date(Date.now() + 2 * 3_600_000).toISOString();
  const usage = { budgets: [{}], is_blocked: true, available_at: at, running_agents: 0, provider_accounts: 0 };
  openConsole(script, `/o/${ORG}/chats/${CHAT}`, {
    ...ANSWERS,
    'GET /api/permissions/me': { body: { permissions: [], usage } },
  });
  await screen.findByText(/^Your token budget is used up\. Part of it is available again in 2 hours/);
});
