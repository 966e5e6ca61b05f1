import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createMemoryHistory } from '@tanstack/react-router';
import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { type Answer, serveScript } from '../../test/support/console/scripted-api.ts';
import { App } from '../app.tsx';
import { createQueryClient } from '../core/http/query-client.ts';
import { Session } from '../core/session/session.ts';
import type { AnyServerFrame } from './connection/merge-messages.ts';
import { messageAt } from '../../test/support/console/sample-message.ts';
import { ScriptedSocket } from '../../test/support/console/scripted-socket.ts';

const ORG = '019aa4c7-5d10-7cf3-9a5e-3f1f6c0b8d21';
const CHAT = '019aa4c7-5d10-7cf3-9a5e-3f1f6c0b8d22';
const USER = {
  id: 'user',
  email: 'ada@example.com',
  full_name: 'Ada',
  active_org_id: ORG,
  orgs: [{ id: ORG, name: 'Org' }],
};
const chat = {
  id: CHAT,
  title: 'Weekly report',
  agent_id: 'agent',
  user_id: 'user',
  parent_chat_id: null,
  status: 'idle',
  waiting_for: null,
  waiting_until: null,
  updated_at: messageAt(0).created_at,
};
const started = { headers: { 'content-type': 'text/event-stream' }, body: 'event: stream_start\n\n' };
const ANSWERS: Record<string, Answer> = {
  'POST /api/auth/browser-session/refresh': {
    body: { access_token: 'a-token', token_type: 'bearer', expires_in: 3600 },
  },
  'GET /api/users/me': { body: USER },
  'GET /api/permissions/me': { body: { permissions: ['agents.view'] } },
  'GET /api/agents': {
    body: [{ id: 'agent', name: 'Analyst', description: '', is_active: true, tools: [], skills: [] }],
  },
  'GET /api/chats': { body: [chat] },
  [`GET /api/chats/${CHAT}`]: { body: chat },
  [`GET /api/chats/${CHAT}/messages`]: { body: [messageAt(0), messageAt(1)] },
};

const script = serveScript();
let sockets: ScriptedSocket[];
let answers: Record<string, Answer>;

beforeEach(() => {
  sockets = [];
  answers = { ...ANSWERS };
  localStorage.clear();
  globalThis.WebSocket = class extends ScriptedSocket {
    constructor(address: string, [, token]: string[]) {
      super(token ?? '');
      // The other one is that of the organization's events.
      if (address.includes('/ws/chat/')) sockets.push(this);
    }
  } as unknown as typeof WebSocket;
  // What jsdom does not lay out: rows are in sight when their frame has a height.
  jest.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600);
  jest.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(800);
});
afterEach(() => {
  jest.restoreAllMocks();
});

async function open(changed: Record<string, Answer> = {}, address = `/o/${ORG}/chats/${CHAT}`) {
  Object.assign(answers, changed);
  script.answer(answers);
  const history = createMemoryHistory({ initialEntries: [address] });
  const view = render(<App session={new Session()} cache={createQueryClient()} history={history} />);
  return { history, ...view };
}
async function openChat(changed: Record<string, Answer> = {}) {
  const opened = await open(changed);
  await screen.findByRole('heading', { level: 1, name: 'Weekly report' });
  await waitFor(() => expect(sockets).toHaveLength(1));
  return opened;
}
function say(...frames: AnyServerFrame[]): void {
  act(() => sockets.at(-1)?.say(...frames));
}
const joined = (turn_id: string | null = null): AnyServerFrame => ({
  type: 'joined',
  turn_id,
  newest_message_id: null,
  steps: [],
});
const chunk = (turn_id: string, offset: number, content: string): AnyServerFrame => ({
  type: 'chunk',
  turn_id,
  offset,
  content,
});
const composer = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' });
/** What the head of the chat says that happens, and what screen readers are told. */
const phase = () => document.querySelector('.phase')?.textContent;
const announced = () => document.querySelector('output.hidden')?.textContent;
const posted = () =>
  script.requests
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/stream'))
    .map(({ body }) => JSON.parse(body) as { content: string; client_message_id: string });

describe('a chat', () => {
  test('shows its messages, its agent and the other chats, and opens one socket with the token', async () => {
    await openChat();
    expect(await screen.findByText('text 0')).toBeTruthy();
    expect(await screen.findByText('text 1')).toBeTruthy();
    expect(sockets[0]?.token).toBe('bearer.a-token');
    expect(within(screen.getByRole('navigation', { name: 'List of chats' })).getByText('Weekly report')).toBeTruthy();
    expect((await screen.findByPlaceholderText('Message Analyst')).tagName).toBe('TEXTAREA');
    const reads = script.requests.filter(({ path }) => path.endsWith('/messages'));
    expect(reads).toHaveLength(1);
  });

  test('is not shown as one that is only read until it is known whose it is', async () => {
    const user = Promise.withResolvers<Answer>();
    script.answer({ ...answers, 'GET /api/users/me': () => user.promise });
    const history = createMemoryHistory({ initialEntries: [`/o/${ORG}/chats/${CHAT}`] });
    render(<App session={new Session()} cache={createQueryClient()} history={history} />);
    await screen.findByRole('link', { name: /Weekly report/ });
    await waitFor(() => expect(sockets).toHaveLength(1));
    expect(screen.queryByRole('textbox', { name: 'Message' })).toBeNull();
    user.resolve({ body: USER });
    await screen.findByRole('textbox', { name: 'Message' });
    expect(screen.queryByText(/^Read-only/)).toBeNull();
  });

  test('in the list says that it needs approval, or waits for a worker, and until when for a provider', async () => {
    const waiting = { ...chat, status: 'waiting', waiting_until: '2027-02-26T09:30:00.000Z' };
    const chats = [
      { ...waiting, waiting_for: 'approval' },
      { ...waiting, id: ORG, title: 'Daily', waiting_for: 'provider' },
      { ...waiting, id: 'another', title: 'Monthly', waiting_for: 'worker', waiting_until: null },
    ];
    await open({ 'GET /api/chats': { body: chats } }, `/o/${ORG}/chats`);
    const list = within(await screen.findByRole('navigation', { name: 'List of chats' }));
    await list.findByRole('link', { name: /Weekly report.*needs approval/ });
    await list.findByRole('link', { name: /Daily.*until \d/ });
    await list.findByRole('link', { name: /Monthly.*waiting for a worker/ });
  });

  test('opened from a list is not asked for again', async () => {
    const { history } = await open({}, `/o/${ORG}/chats`);
    await screen.findByRole('link', { name: /Weekly report/ });
    act(() => history.push(`/o/${ORG}/chats/${CHAT}`));
    await screen.findByText('text 1');
    expect(script.requests.map(({ path }) => path)).not.toContain(`/api/chats/${CHAT}`);
  });

  test('shows steps where they were taken, while an answer is written and once it is stored', async () => {
    await openChat({ [`GET /api/chats/${CHAT}/messages`]: { body: [messageAt(0), messageAt(1), messageAt(2)] } });
    const begin = { type: 'sub_agent_step_start', turn_id: 'turn 1', task_id: 'turn 1', step_id: 'step' } as const;
    say(joined('turn 1'), chunk('turn 1', 0, 'I look it up.'), { ...begin, step_name: 'time_now', step_label: 'Time' });
    say(chunk('turn 1', 13, '\n\nIt is noon.'));
    const order = () => {
      const log = screen.getByRole('log').textContent ?? '';
      return ['I look it up.', /time/i, 'It is noon.'].map((words) => log.search(words));
    };
    await screen.findByText('It is noon.');
    expect(order()).toEqual(order().toSorted((one, other) => one - other));
    const given = { is_exact: true, zone: 'Europe/Rome' };
    const call = { id: 'step', name: 'time_now', arguments: given, status: 'success', result: '', offset: 13 } as const;
    const metadata = {
      status: 'completed',
      tool_calls_detail: [{ ...call, started_at: null, ended_at: null }],
    } as unknown as Extract<AnyServerFrame, { type: 'stream_end' }>['metadata'];
    say({
      type: 'stream_end',
      turn_id: 'turn 1',
      message_id: 'an answer',
      content: 'I look it up.\n\nIt is noon.',
      metadata,
      created_at: messageAt(2).created_at,
      provider_used: null,
      agent_id: null,
      agent_name: null,
    });
    await screen.findByText('time_now · Europe/Rome');
    expect(order()).not.toContain(-1);
    expect(order()).toEqual(order().toSorted((one, other) => one - other));
  });

  test('shows an answer as it is written, with the steps of the agent and its sub-agents', async () => {
    await openChat({ [`GET /api/chats/${CHAT}/messages`]: { body: [messageAt(0), messageAt(1), messageAt(2)] } });
    say(joined('turn 1'), {
      type: 'sub_agent_start',
      turn_id: 'turn 1',
      task_id: 'task',
      parent_id: 'turn 1',
      step_id: 'call',
      agent_name: 'Scout',
      task_title: 'Find sources',
      sub_chat_id: 'sub-chat',
    });
    say({
      type: 'sub_agent_step_start',
      turn_id: 'turn 1',
      task_id: 'task',
      step_id: 'step',
      step_name: 'http_request',
      step_label: 'GET example.com',
    });
    const card = await screen.findByRole('region', { name: 'Scout' });
    expect(within(card).getByText('GET example.com')).toBeTruthy();
    expect([phase(), announced()]).toEqual(['1 sub-agent running', '1 sub-agent running']);
    say(
      { type: 'sub_agent_step_done', turn_id: 'turn 1', task_id: 'task', step_id: 'step', status: 'success' },
      {
        type: 'sub_agent_done',
        turn_id: 'turn 1',
        task_id: 'task',
        agent_name: 'Scout',
        output: 'Three sources',
        usage: { input_tokens: 3, output_tokens: 4 },
        status: 'completed',
      },
    );
    expect(await within(card).findByText('Three sources')).toBeTruthy();
    say(chunk('turn 1', 0, 'Sales **rose**'));
    expect((await screen.findByText('rose')).tagName).toBe('STRONG');
    await waitFor(() => expect([phase(), announced()]).toEqual(['writing', 'The answer has started']));
  });

  test('says what a turn waits for, and counts down', async () => {
    const until = new Date(Date.now() + 3_599_000).toISOString();
    const waiting = { ...chat, status: 'waiting', waiting_for: 'provider', waiting_until: until };
    await openChat({
      [`GET /api/chats/${CHAT}`]: { body: waiting },
      [`GET /api/chats/${CHAT}/messages`]: { body: [messageAt(0)] },
    });
    say(joined('turn 0'));
    expect(await screen.findByText(/^waiting for a provider until .* \(59 min \d+ s\)$/)).toBeTruthy();
  });

  test('says that its turn waits for a worker, and that nothing is lost', async () => {
    const waiting = { ...chat, status: 'waiting', waiting_for: 'worker', waiting_until: null };
    await openChat({
      [`GET /api/chats/${CHAT}`]: { body: waiting },
      [`GET /api/chats/${CHAT}/messages`]: { body: [messageAt(0)] },
    });
    say(joined('turn 0'));
    await waitFor(() => expect([phase(), announced()]).toEqual(['waiting for a worker', 'waiting for a worker']));
    expect(screen.getByText(/^No worker is running on the server. Your message is stored/)).toBeTruthy();
  });

  test('is stopped by the button, and by Escape pressed twice, but not once', async () => {
    const path = `/api/chats/${CHAT}/interrupt`;
    await openChat({
      [`GET /api/chats/${CHAT}/messages`]: { body: [messageAt(0)] },
      [`POST ${path}`]: { body: { turn_id: 'turn 0' } },
    });
    say(joined('turn 0'), chunk('turn 0', 0, 'So'));
    const stops = () => script.requests.filter((request) => request.path === path).length;
    await screen.findByRole('button', { name: 'Stop' });
    fireEvent.keyDown(window, { key: 'Escape' });
    expect(stops()).toBe(0);
    fireEvent.keyDown(window, { key: 'Escape' });
    await waitFor(() => expect(stops()).toBe(1));
    expect(phase()).toBe('stopping');
    expect(screen.getByText('So')).toBeTruthy();
  });

  test('shows questions that wait for the running turn as a queue', async () => {
    const body = [messageAt(0), messageAt(2, { content: 'also a chart' })];
    await openChat({ [`GET /api/chats/${CHAT}/messages`]: { body } });
    say(joined('turn 0'), chunk('turn 0', 0, 'So'));
    const queue = await screen.findByRole('list', { name: 'Queued messages' });
    expect(queue.textContent).toContain('also a chart');
    expect(within(screen.getByRole('log')).queryByText('also a chart')).toBeNull();
  });

  test('lets a question that waits be changed in its place, and withdrawn', async () => {
    const waiting = messageAt(2, { id: 'waits', content: 'also a chart' });
    const one = `/api/chats/${CHAT}/messages/waits`;
    await openChat({
      [`GET /api/chats/${CHAT}/messages`]: { body: [messageAt(0), waiting] },
      [`PATCH ${one}`]: { body: { ...waiting, content: 'also a table' } },
      [`POST ${one}/withdraw`]: { body: { ...waiting, excluded: true } },
    });
    say(joined('turn 0'), chunk('turn 0', 0, 'So'));
    await userEvent.type(composer(), 'half a thought');
    await userEvent.click(await screen.findByRole('button', { name: 'Edit' }));
    expect(screen.getByText('You are editing a queued message.')).toBeTruthy();
    await userEvent.clear(composer());
    await userEvent.type(composer(), 'also a table{Enter}');
    const queue = screen.getByRole('list', { name: 'Queued messages' });
    expect(await within(queue).findByText('also a table')).toBeTruthy();
    expect([composer().value, posted()]).toEqual(['half a thought', []]);
    const metadata = { status: 'interrupted', withdrawn: true } as const;
    const answer = messageAt(3, { content: '', excluded: true, metadata_: metadata });
    script.answer({
      ...answers,
      [`GET /api/chats/${CHAT}/messages`]: { body: [messageAt(0), { ...waiting, excluded: true }, answer] },
    });
    await userEvent.click(screen.getByRole('button', { name: 'Remove' }));
    await waitFor(() => expect(screen.queryByText('also a table')).toBeNull());
    expect(screen.queryByText(/excluded/)).toBeNull();
  });

  test('lets its owner stop it while the connection is lost', async () => {
    await openChat({ [`GET /api/chats/${CHAT}/messages`]: { body: [messageAt(0)] } });
    say(joined('turn 0'), chunk('turn 0', 0, 'So'));
    await screen.findByRole('button', { name: 'Stop' });
    act(() => sockets[0]?.end(1006));
    await waitFor(() => expect(phase()).toBe('connection lost, reconnecting'));
    expect(screen.getByRole('button', { name: 'Stop' })).toBeTruthy();
  });

  test('says why it could not be stopped', async () => {
    await openChat({
      [`GET /api/chats/${CHAT}/messages`]: { body: [messageAt(0)] },
      [`POST /api/chats/${CHAT}/interrupt`]: { status: 409, body: { detail: 'It ends already' } },
    });
    say(joined('turn 0'), chunk('turn 0', 0, 'So'));
    await userEvent.click(await screen.findByRole('button', { name: 'Stop' }));
    expect(await screen.findAllByText('It ends already')).not.toEqual([]);
  });

  test('announces an answer that comes, but none that was there, failed or not', async () => {
    const failed = messageAt(1, { content: 'No key', metadata_: { status: 'failed', error: 'No key' } });
    await openChat({ [`GET /api/chats/${CHAT}/messages`]: { body: [messageAt(0), failed] } });
    expect(await screen.findByText('Failed: No key')).toBeTruthy();
    expect([announced(), screen.queryByRole('alert')]).toEqual(['', null]);
    say(joined(), {
      type: 'stream_end',
      turn_id: 'turn 1',
      message_id: 'message 3',
      content: 'three short words',
      metadata: { status: 'completed' },
      created_at: messageAt(3).created_at,
      provider_used: null,
      agent_id: null,
      agent_name: null,
    });
    await waitFor(() => expect(announced()).toBe('The answer is complete, 3 words'));
  });

  test('leads to its end, and says when there is new text', async () => {
    await openChat({ [`GET /api/chats/${CHAT}/messages`]: { body: [messageAt(0), messageAt(1), messageAt(2)] } });
    say(joined('turn 1'), chunk('turn 1', 0, 'So'));
    await screen.findByText('So');
    const log = screen.getByRole('log');
    Object.defineProperty(log, 'scrollHeight', { value: 5_000 });
    fireEvent.scroll(log);
    expect(screen.getByRole('button', { name: 'Jump to the end' })).toBeTruthy();
    say(chunk('turn 1', 2, ' it is'));
    expect(await screen.findByRole('button', { name: 'New text below' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Jump to the end' })).toBeNull();
  });

  test('goes on after a sign-in over the page, and sends what was refused meanwhile', async () => {
    await openChat();
    say(joined());
    script.answer({
      ...answers,
      'POST /api/auth/browser-session/refresh': { status: 401, body: { detail: 'Sign in' } },
      'POST /api/auth/browser-session': { body: { access_token: 'another', expires_in: 3600, user: USER } },
      [`POST /api/chats/${CHAT}/stream`]: { status: 401, body: { detail: 'Sign in' } },
    });
    await userEvent.type(composer(), 'hello{Enter}');
    const dialog = await screen.findByRole('dialog');
    act(() => sockets[0]?.end(4401));
    expect(await screen.findByText('sending')).toBeTruthy();
    script.answer({
      ...answers,
      'POST /api/auth/browser-session': { body: { access_token: 'another', expires_in: 3600, user: USER } },
      [`POST /api/chats/${CHAT}/stream`]: started,
    });
    const [sentBefore] = posted();
    fireEvent.change(within(dialog).getByLabelText(/E-mail/), { target: { value: 'ada@example.com' } });
    fireEvent.change(within(dialog).getByLabelText(/Password/), { target: { value: 'a password' } });
    await userEvent.click(within(dialog).getByRole('button', { name: 'Sign in' }));
    await waitFor(() => expect(sockets.map(({ token }) => token)).toEqual(['bearer.a-token', 'bearer.another']));
    await waitFor(() => expect(posted().length).toBeGreaterThan(1));
    expect(posted().at(-1)).toEqual(sentBefore);
  });

  test('folds what is left out of the conversation', async () => {
    const body = [messageAt(0, { excluded: true }), messageAt(1, { excluded: true })];
    await openChat({ [`GET /api/chats/${CHAT}/messages`]: { body } });
    expect(await screen.findByText('2 messages excluded')).toBeTruthy();
  });

  test('says that it is gone, and keeps what was typed', async () => {
    await openChat();
    await userEvent.type(composer(), 'half a thought');
    act(() => sockets[0]?.end(4404));
    expect(await screen.findByText(/This chat was deleted/)).toBeTruthy();
    expect(composer().value).toBe('half a thought');
    await userEvent.keyboard('{Enter}');
    expect(posted()).toEqual([]);
  });

  test('of somebody else is read only', async () => {
    await openChat({
      [`GET /api/chats/${CHAT}`]: { body: { ...chat, user_id: 'another' } },
      [`GET /api/chats/${CHAT}/messages`]: { body: [messageAt(0), messageAt(1), messageAt(2), messageAt(4)] },
    });
    say(joined('turn 1'), chunk('turn 1', 0, 'So'));
    expect((await screen.findByRole('list', { name: 'Queued messages' })).textContent).toContain('text 4');
    expect(screen.queryByRole('button', { name: /send now|Remove/ })).toBeNull();
    expect(await screen.findByText('Read-only: only its owner can write in this chat.')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull();
  });
});

describe('the composer', () => {
  test('sends with Enter, keeps a new line with Shift+Enter, and is empty then', async () => {
    await openChat({ [`POST /api/chats/${CHAT}/stream`]: started });
    await userEvent.type(composer(), 'one{Shift>}{Enter}{/Shift}two{Enter}');
    await waitFor(() => expect(posted()).toMatchObject([{ content: 'one\ntwo' }]));
    expect(composer().value).toBe('');
  });

  test('does not send while an input method composes', async () => {
    await openChat();
    await userEvent.type(composer(), 'にほ');
    fireEvent.keyDown(composer(), { key: 'Enter', isComposing: true });
    fireEvent.keyDown(composer(), { key: 'Enter', keyCode: 229 });
    expect([composer().value, posted()]).toEqual(['にほ', []]);
  });

  test('keeps a draft when the page is closed', async () => {
    const { unmount } = await openChat();
    await userEvent.type(composer(), 'half a thought');
    unmount();
    sockets = [];
    await openChat();
    expect(composer().value).toBe('half a thought');
  });

  test('shows a message that was rejected with the reason, and gives it back', async () => {
    await openChat({ [`POST /api/chats/${CHAT}/stream`]: { status: 409, body: { detail: 'The agent is off' } } });
    await userEvent.type(composer(), 'hello{Enter}');
    expect(await screen.findByText('not sent: The agent is off')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Edit' }));
    expect([composer().value, screen.queryByText('not sent: The agent is off')]).toEqual(['hello', null]);
  });

  test('sends a message again under the same id after a fault of the server', async () => {
    await openChat({ [`POST /api/chats/${CHAT}/stream`]: { status: 503, body: { detail: 'restarting' } } });
    await userEvent.type(composer(), 'hello{Enter}');
    await waitFor(() => expect(posted()).toHaveLength(1));
    script.answer({ ...answers, [`POST /api/chats/${CHAT}/stream`]: started });
    await waitFor(() => expect(posted()).toHaveLength(2));
    expect(new Set(posted().map(({ client_message_id: id }) => id)).size).toBe(1);
  });

  test('changes a question: what was said since is left out, and the new one is sent', async () => {
    const path = (index: number) =>
      `PATCH /api/chats/${CHAT}/messages/message ${index}/excluded`.replaceAll('message ', 'message%20');
    await openChat({
      [path(0)]: { body: messageAt(0, { excluded: true }) },
      [path(1)]: { body: messageAt(1, { excluded: true }) },
      [`POST /api/chats/${CHAT}/stream`]: started,
    });
    await userEvent.click(await screen.findByRole('button', { name: 'Edit question' }));
    expect(composer().value).toBe('text 0');
    expect(document.activeElement).toBe(composer());
    const body = [messageAt(0, { excluded: true }), messageAt(1, { excluded: true })];
    script.answer({ ...answers, [`GET /api/chats/${CHAT}/messages`]: { body } });
    await userEvent.clear(composer());
    await userEvent.type(composer(), 'better{Enter}');
    await waitFor(() => expect(posted()).toMatchObject([{ content: 'better' }]));
    const changes = script.requests
      .filter(({ method }) => method === 'PATCH')
      .map(({ body: sent }) => JSON.parse(sent));
    expect(changes).toEqual([{ excluded: true, from_here_on: true }]);
    expect(await screen.findByText('2 messages excluded')).toBeTruthy();
  });
});

describe('a question that is changed', () => {
  const patch = (index: number) => `PATCH /api/chats/${CHAT}/messages/message%20${index}/excluded`;
  const leftOut = (index: number): Answer => ({ body: messageAt(index, { excluded: true }) });
  const change = async () => userEvent.click(await screen.findByRole('button', { name: 'Edit question' }));

  test('is kept with its mode, also through a reload, until what was said since is left out', async () => {
    const { unmount } = await openChat({
      [patch(0)]: { status: 409, body: { detail: 'A turn runs' } },
      [`POST /api/chats/${CHAT}/stream`]: started,
    });
    await change();
    await userEvent.clear(composer());
    await userEvent.type(composer(), 'better{Enter}');
    expect(await screen.findAllByText('A turn runs')).not.toEqual([]);
    expect([composer().value, posted()]).toEqual(['better', []]);
    unmount();
    sockets = [];
    await openChat({ [patch(0)]: leftOut(0) });
    await screen.findByText('text 1');
    expect(screen.getByText(/You are editing an earlier message/)).toBeTruthy();
    await userEvent.type(composer(), ' words{Enter}');
    await waitFor(() => expect(posted()).toMatchObject([{ content: 'better words' }]));
    expect([composer().value, screen.queryByText(/You are editing/)]).toEqual(['', null]);
  });

  test('gives back what was typed before, when it is kept and when it is sent', async () => {
    await openChat({ [patch(0)]: leftOut(0), [patch(1)]: leftOut(1), [`POST /api/chats/${CHAT}/stream`]: started });
    await userEvent.type(composer(), 'half a thought');
    await change();
    expect(composer().value).toBe('text 0');
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(composer().value).toBe('half a thought');
    await change();
    await userEvent.type(composer(), ' or not{Escape}');
    expect([composer().value, screen.queryByText(/You are editing/)]).toEqual(['half a thought', null]);
    await change();
    await userEvent.type(composer(), '!{Enter}');
    await waitFor(() => expect(posted()).toMatchObject([{ content: 'text 0!' }]));
    await waitFor(() => expect(composer().value).toBe('half a thought'));
  });

  test('keeps its files, as one that is asked again does', async () => {
    const body = [messageAt(0, { file_ids: ['file'] }), messageAt(1)];
    await openChat({
      [`GET /api/chats/${CHAT}/messages`]: { body },
      [patch(0)]: leftOut(0),
      [patch(1)]: leftOut(1),
      [`POST /api/chats/${CHAT}/stream`]: started,
    });
    await userEvent.click(await screen.findByRole('button', { name: 'Retry' }));
    await waitFor(() => expect(posted()).toMatchObject([{ content: 'text 0', file_ids: ['file'] }]));
  });
});

describe('the list of chats', () => {
  test('is of people until those of runs are wanted, too', async () => {
    const run = { ...chat, id: 'of-a-run', title: 'Each minute', origin: 'schedule' };
    Object.assign(answers, {
      'GET /api/chats': (query: URLSearchParams) => ({
        body: query.get('origin') === 'person' ? [chat] : [chat, run],
      }),
    });
    await openChat();
    await screen.findByRole('navigation', { name: 'List of chats' });
    expect(screen.queryByText('Each minute')).toBe(null);
    await userEvent.click(screen.getByRole('combobox', { name: 'Chats to list' }));
    await userEvent.click(await screen.findByRole('option', { name: 'All, including runs' }));
    await screen.findByText('Each minute');
  });

  test('says when there are more than it shows', async () => {
    await openChat({ 'GET /api/chats': { body: [chat], headers: { 'x-total-count': '350' } } });
    expect(await screen.findByText('1 of 350')).toBeTruthy();
  });
});

describe('a new chat', () => {
  const begun = { 'POST /api/chats': { status: 201, body: chat }, [`POST /api/chats/${CHAT}/stream`]: started };

  test('sends its first message in a browser that keeps nothing', async () => {
    const keep = Storage.prototype.setItem;
    jest.spyOn(Storage.prototype, 'setItem').mockImplementation(function (this: Storage, key, text) {
      if (key.startsWith('everturn.draft.')) throw new DOMException('full', 'QuotaExceededError');
      keep.call(this, key, text);
    });
    await open(begun, `/o/${ORG}/chats`);
    await userEvent.type(await screen.findByRole('textbox', { name: 'Message' }), 'Compare the reports{Enter}');
    await waitFor(() => expect(posted()).toMatchObject([{ content: 'Compare the reports' }]));
  });

  test('keeps what is typed while it begins', async () => {
    await open(begun, `/o/${ORG}/chats`);
    await userEvent.type(await screen.findByRole('textbox', { name: 'Message' }), 'Compare');
    fireEvent.keyDown(composer(), { key: 'Enter' });
    fireEvent.change(composer(), { target: { value: 'And another' } });
    await waitFor(() => expect(posted()).toMatchObject([{ content: 'Compare' }]));
    const kept = Object.entries(localStorage).find(([key]) => key.endsWith(`.chat.new.${ORG}`));
    expect(kept?.[1]).toBe('And another');
  });

  test('begins with an agent and a message', async () => {
    const { history } = await open(
      { 'POST /api/chats': { status: 201, body: chat }, [`POST /api/chats/${CHAT}/stream`]: started },
      `/o/${ORG}/chats`,
    );
    await userEvent.type(await screen.findByRole('textbox', { name: 'Message' }), 'Compare the reports{Enter}');
    await screen.findByRole('heading', { level: 1, name: 'Weekly report' });
    await waitFor(() => expect(posted()).toMatchObject([{ content: 'Compare the reports' }]));
    expect(history.location.pathname).toBe(`/o/${ORG}/chats/${CHAT}`);
    const created = script.requests.find(({ method, path }) => method === 'POST' && path === '/api/chats');
    expect(JSON.parse(created?.body ?? '')).toEqual({ agent_id: 'agent' });
  });
});
