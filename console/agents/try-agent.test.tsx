import { beforeEach, expect, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { type Answer, serveScript } from '../../test/support/console/scripted-api.ts';
import { ScriptedSocket } from '../../test/support/console/scripted-socket.ts';
import { NEW_AGENT } from './agent-values.ts';

const script = serveScript();
const TIME = '2026-11-22T09:30:00.000Z';
const AGENT = { ...NEW_AGENT, id: 'an-agent', user_id: 'ada', name: 'Analyst', created_at: TIME, updated_at: TIME };
const CHAT = {
  id: 'a-chat',
  title: 'Try Analyst',
  agent_id: AGENT.id,
  user_id: 'ada',
  status: 'idle',
  created_at: TIME,
};
const SEND = 'POST /api/chats/a-chat/stream';
const started = { headers: { 'content-type': 'text/event-stream' }, body: 'event: stream_start\n\n' };
const ANSWERS: Readonly<Record<string, Answer>> = {
  'GET /api/permissions/me': { body: { permissions: ['agents.view', 'agents.manage', 'ui.advanced_mode'] } },
  'GET /api/agents': { body: [AGENT] },
  'GET /api/agents/an-agent': { body: AGENT },
  'POST /api/chats': { status: 201, body: CHAT },
  'GET /api/chats/a-chat': { body: CHAT },
  'GET /api/chats/a-chat/messages': { body: [] },
};

beforeEach(() => {
  localStorage.clear();
  globalThis.WebSocket = class extends ScriptedSocket {
    constructor() {
      super('');
    }
  } as unknown as typeof WebSocket;
});

const sent = () =>
  script.requests
    .filter(({ method, path }) => `${method} ${path}` === SEND)
    .map(({ body }) => JSON.parse(body) as { content: string; client_message_id: string });

test('a message whose answer was lost is sent again as the same one, so that the agent is asked once', async () => {
  const { cache } = openConsole(script, `/o/${ORG}/agents/an-agent`, { ...ANSWERS, [SEND]: { status: 503, body: {} } });
  await userEvent.click(await screen.findByRole('button', { name: 'Try it' }));
  const chat = within(await screen.findByRole('region', { name: 'Try Analyst' }));
  const message = () => chat.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' });
  const isSent = () => expect(chat.getByRole('button', { name: 'Send' }).title).not.toMatch(/being sent/);
  await userEvent.type(message(), 'What time is it?{Enter}');
  await waitFor(() => expect(sent()).toHaveLength(1));
  await waitFor(isSent);
  expect(message().value).toBe('What time is it?');
  script.answer({ ...ANSWERS, [SEND]: started });
  await userEvent.type(message(), '{Enter}');
  await waitFor(() => expect(message().value).toBe(''));
  await waitFor(isSent);
  await userEvent.type(message(), 'What time is it?{Enter}');
  await waitFor(() => expect(sent()).toHaveLength(3));
  const [first, again, another] = sent().map(({ client_message_id: id }) => id);
  expect(again).toBe(first);
  expect(another).not.toBe(first);
  expect(script.requests.filter(({ method, path }) => `${method} ${path}` === 'POST /api/chats')).toHaveLength(1);
  cache.clear();
});

test('the description of a tool that an agent could have shows its code as code', async () => {
  const tool = { id: 'a-tool', key: 'csv_process', name: 'Process CSV', category: 'data', problem: null, reason: null };
  const { cache } = openConsole(script, `/o/${ORG}/agents/an-agent?tab=tools`, {
    ...ANSWERS,
    'GET /api/tools': { body: [{ ...tool, description: 'Give the path of a `file`.' }] },
    'GET /api/skills': { body: [] },
  });
  expect((await screen.findByText('file')).localName).toBe('code');
  cache.clear();
});
