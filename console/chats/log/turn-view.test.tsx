import { beforeEach, expect, jest, test } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { openConsole, ORG, USER } from '../../../test/support/console/opened-console.tsx';
import { type Answers, serveScript } from '../../../test/support/console/scripted-api.ts';
import { ScriptedSocket } from '../../../test/support/console/scripted-socket.ts';
import { messageAt } from '../../../test/support/console/sample-message.ts';

const CHAT = '019aa4c7-5d10-7cf3-9a5e-3f1f6c0b8d22';
const TIME = messageAt(0).created_at;
const chat = {
  id: CHAT,
  title: 'Weekly report',
  agent_id: 'agent',
  user_id: USER.id,
  parent_chat_id: null,
  provider_chain_id: null,
  status: 'idle',
  waiting_for: null,
  waiting_until: null,
  updated_at: TIME,
};
const tracedCall = {
  id: 'a-call',
  turn_id: 'turn 1',
  name: 'http_request',
  label: 'GET example.com',
  effect: 'read',
  status: 'running',
  arguments: { url: 'https://example.com/' },
  edited_arguments: null,
  result: null,
  tries: 2,
  created_at: TIME,
  started_at: TIME,
  ended_at: null,
};

const script = serveScript();
let sockets: ScriptedSocket[];
beforeEach(() => {
  sockets = [];
  globalThis.WebSocket = class extends ScriptedSocket {
    constructor(address: string) {
      super('');
      if (address.includes('/ws/chat/')) sockets.push(this);
    }
  } as unknown as typeof WebSocket;
  // What jsdom does not lay out: rows are in sight when their frame has a height.
  jest.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600);
  jest.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(800);
});

const at = (index: number, fields: Parameters<typeof messageAt>[1] = {}) =>
  messageAt(index, { chat_id: CHAT, ...fields });

async function openChat(answers: Answers = {}) {
  openConsole(script, `/o/${ORG}/chats/${CHAT}`, {
    'GET /api/permissions/me': { body: { permissions: ['agents.view', 'providers.view', 'ui.advanced_mode'] } },
    'GET /api/agents': { body: [] },
    [`GET /api/chats/${CHAT}`]: { body: chat },
    [`GET /api/chats/${CHAT}/messages`]: { body: [at(0), at(1)] },
    ...answers,
  });
  await screen.findByText('text 0');
  await waitFor(() => expect(sockets).toHaveLength(1));
}

async function choose(name: string): Promise<void> {
  await userEvent.click(await screen.findByRole('button', { name: 'More about this answer' }));
  await userEvent.click(await screen.findByRole('menuitem', { name }));
}

test('a link to an answer leads to its message', async () => {
  await openChat();
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'More about this answer' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Copy link' }));
  await screen.findByText('The link was copied.');
  const link = new URL(await navigator.clipboard.readText());
  expect([link.pathname, link.searchParams.get('message')]).toEqual([`/o/${ORG}/chats/${CHAT}`, 'message 1']);
});

test('a question is answered again by another chain, which the chat keeps', async () => {
  const started = { headers: { 'content-type': 'text/event-stream' }, body: 'event: stream_start\n\n' };
  const steps = [{ provider_type: 'openai', model_name: 'gpt-5' }];
  await openChat({
    'GET /api/providers/chains': { body: [{ id: 'a-chain', name: 'Careful', steps }] },
    [`PATCH /api/chats/${CHAT}/provider-chain`]: { body: { ...chat, provider_chain_id: 'a-chain' } },
    [`PATCH /api/chats/${CHAT}/messages/message%200/excluded`]: { body: at(0, { excluded: true }) },
    [`POST /api/chats/${CHAT}/stream`]: started,
  });
  await choose('Retry with another model');
  await userEvent.click(await screen.findByRole('button', { name: /^Careful\s*gpt-5$/ }));
  const posted = await waitFor(() => {
    const [request] = script.requests.filter(({ path }) => path.endsWith('/stream'));
    return request ?? Promise.reject(new Error('nothing was sent'));
  });
  expect(JSON.parse(posted.body)).toMatchObject({ content: 'text 0' });
  const changes = script.requests
    .filter(({ method }) => method === 'PATCH')
    .map(({ body }) => JSON.parse(body) as unknown);
  expect(changes).toEqual([{ provider_chain_id: 'a-chain' }, { excluded: true, from_here_on: true }]);
});

test('a call opens to what it was given and how often it was tried, also while it runs', async () => {
  await openChat({
    [`GET /api/chats/${CHAT}/messages`]: { body: [at(0), at(1), at(2)] },
    [`GET /api/chats/${CHAT}/turns/turn%201/calls/a-call`]: { body: tracedCall },
  });
  const begin = { turn_id: 'turn 1', task_id: 'turn 1', step_id: 'a-call', step_name: 'http_request' };
  act(() =>
    sockets
      .at(-1)
      ?.say(
        { type: 'joined', turn_id: 'turn 1', newest_message_id: null, steps: [] },
        { type: 'sub_agent_step_start', ...begin, step_label: 'GET example.com' },
      ),
  );
  const line = await screen.findByText('GET example.com');
  expect(script.requests.some(({ path }) => path.includes('/calls/'))).toBe(false);
  await userEvent.click(line);
  await screen.findByText('read: changes nothing · Started 2 times');
  const call = line.closest('details') as HTMLElement;
  expect(within(call).getByText('url').closest('div')?.textContent).toBe('urlhttps://example.com/');
});

test('of a call whose record is gone, what the answer has stored of it is shown', async () => {
  const stored = { id: 'a-call', name: 'time_now', arguments: { zone: 'UTC' }, status: 'success', result: 'noon' };
  const metadata = { tool_calls_detail: [{ ...stored, started_at: null, ended_at: null }] };
  await openChat({ [`GET /api/chats/${CHAT}/messages`]: { body: [at(0), at(1, { metadata_: metadata as never })] } });
  const line = await screen.findByText('time_now · UTC');
  await userEvent.click(line);
  await within(line.closest('details') as HTMLElement).findByText('noon');
});

test('an answer that was stopped names the steps that were not done', async () => {
  const stored = { name: 'http_request', arguments: {}, result: '', started_at: null, ended_at: null };
  const metadata = {
    status: 'interrupted',
    tool_calls_detail: [
      { ...stored, id: 'one', arguments: { url: 'a.example' }, status: 'success' },
      { ...stored, id: 'two', arguments: { url: 'b.example' }, status: 'interrupted' },
    ],
  };
  await openChat({ [`GET /api/chats/${CHAT}/messages`]: { body: [at(0), at(1, { metadata_: metadata as never })] } });
  await screen.findByText('Stopped before this was done: http_request · b.example');
});

test('an answer that the token limit has cut says so', async () => {
  const metadata = { status: 'completed', finish_reason: 'length' };
  await openChat({ [`GET /api/chats/${CHAT}/messages`]: { body: [at(0), at(1, { metadata_: metadata as never })] } });
  await screen.findByText('The token limit of the model cut this answer.');
});
