import { beforeEach, expect, jest, test } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { NEW_AGENT } from '../agents/agent-values.ts';
import { openConsole, ORG, USER } from '../../test/support/console/opened-console.tsx';
import { type Answer, serveScript } from '../../test/support/console/scripted-api.ts';
import { ScriptedSocket } from '../../test/support/console/scripted-socket.ts';

const script = serveScript();
const RIGHTS = ['agents.view', 'approvals.view', 'approvals.manage', 'ui.advanced_mode'];
const AGENT = { id: 'an-agent', user_id: 'ada', name: 'Analyst', description: '', is_active: true, tools: [] };
const TIME = '2026-11-22T09:30:00.000Z';
const CHAT = {
  id: 'a-chat',
  title: 'Weekly report',
  agent_id: AGENT.id,
  user_id: 'ada',
  parent_chat_id: null,
  status: 'waiting',
  waiting_for: 'approval',
  waiting_until: TIME,
  created_at: TIME,
  updated_at: TIME,
};

const QUESTION = {
  id: 'a-question',
  chat_id: CHAT.id,
  turn_id: 'a-turn',
  client_message_id: null,
  role: 'user',
  content: 'Send it',
  file_ids: [],
  metadata_: {},
  provider_used: null,
  agent_id: null,
  agent_name: null,
  user_id: 'ada',
  user_name: 'Ada',
  excluded: false,
  created_at: TIME,
  updated_at: TIME,
};

const approval = (id: string, more: Readonly<Record<string, unknown>> = {}) => ({
  id,
  chat_id: CHAT.id,
  user_id: 'ada',
  agent_name: 'Analyst',
  tool: 'http_request',
  label: `POST bank.example/${id}`,
  arguments: { url: `https://bank.example/${id}`, method: 'POST' },
  edited_arguments: null,
  question: null,
  escalated_to: null,
  quorum: 1,
  votes: [],
  answer: null,
  details: [
    { label: 'Method', value: 'POST' },
    { label: 'Address', value: `https://bank.example/${id}` },
  ],
  status: 'pending',
  requested_at: TIME,
  expires_at: TIME,
  ...more,
});

let sockets: ScriptedSocket[];
beforeEach(() => {
  sockets = [];
  localStorage.clear();
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

const answersWith = (...approvals: ReturnType<typeof approval>[]): Record<string, Answer> => ({
  'GET /api/permissions/me': { body: { permissions: RIGHTS } },
  'GET /api/agents': { body: [AGENT] },
  'GET /api/chats/a-chat': { body: CHAT },
  'GET /api/chats/a-chat/messages': { body: [QUESTION] },
  ...Object.fromEntries(approvals.map((each) => [`GET /api/approvals/${each.id}`, { body: each }])),
});

/** Tells the open chat that calls wait for decisions. */
async function ask(...approvals: ReturnType<typeof approval>[]): Promise<void> {
  await screen.findByText('Send it');
  const frames = approvals.map(({ id, label }) => ({
    type: 'approval_requested',
    turn_id: 'a-turn',
    task_id: 'a-turn',
    approval_id: id,
    step_id: `call of ${id}`,
    step_name: 'http_request',
    step_label: label,
    chat_id: CHAT.id,
    agent_name: 'Analyst',
    expires_at: TIME,
  }));
  act(() => sockets.at(-1)?.say({ type: 'joined', turn_id: 'a-turn', steps: [] }, ...frames));
}

const asked = async (count: number) =>
  waitFor(() => {
    const regions = screen.getAllByRole('region', { name: 'Requested call' });
    expect(regions).toHaveLength(count);
    return regions;
  });
/** Presses a button once the rights of the user are known. */
async function press(shown: HTMLElement | undefined, name: string): Promise<void> {
  const button = within(shown as HTMLElement).getByRole('button', { name });
  await waitFor(() => expect(button.getAttribute('aria-disabled')).toBeNull());
  await userEvent.click(button);
}
const decisions = () =>
  script.requests
    .filter(({ path }) => path.endsWith('/decision'))
    .map(({ path, body }) => ({ id: path.split('/')[3], ...(JSON.parse(body) as Record<string, unknown>) }));

test('each call that waits in a chat is shown whole above its buttons, and decided about alone', async () => {
  const body = { account: 'all', amount: 'everything' };
  const transfer = approval('transfer-all-money', {
    arguments: { url: 'https://bank.example/transfer-all-money', method: 'POST', body },
  });
  const weather = approval('weather');
  const decided = { ...transfer, status: 'denied' };
  openConsole(script, `/o/${ORG}/chats/a-chat`, {
    ...answersWith(transfer, weather),
    'POST /api/approvals/transfer-all-money/decision': { body: decided },
  });
  await ask(transfer, weather);
  const [first, second] = await asked(2);
  if (first === undefined || second === undefined) throw new Error('two calls are shown');
  expect(within(first).getAllByText('https://bank.example/transfer-all-money')).toHaveLength(2);
  expect(within(second).getAllByText('https://bank.example/weather')).toHaveLength(2);
  const deny = within(first).getByRole('button', { name: 'Deny' });
  const [shown] = within(first).getAllByText(/"amount": "everything"/);
  expect(shown?.compareDocumentPosition(deny)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  await press(first, 'Deny');
  await waitFor(() => expect(decisions()).toEqual([{ id: 'transfer-all-money', approve: false }]));
});

test('arguments of a call that waits in a chat are changed in the fields of the tool', async () => {
  const properties = { url: { type: 'string', title: 'Address' }, method: { enum: ['GET', 'POST'] } };
  const waiting = approval('weather', { user_id: USER.id, parameters: { type: 'object', properties } });
  openConsole(script, `/o/${ORG}/chats/a-chat`, {
    ...answersWith(waiting),
    'POST /api/approvals/weather/decision': { body: { ...waiting, status: 'approved' } },
  });
  await ask(waiting);
  const [shown] = await asked(1);
  await press(shown, 'Change the arguments');
  const address = await within(shown as HTMLElement).findByLabelText('Address');
  await userEvent.clear(address);
  await userEvent.type(address, 'https://weather.example/');
  await press(shown, 'Approve');
  const args = { url: 'https://weather.example/', method: 'POST' };
  await waitFor(() => expect(decisions()).toEqual([{ id: 'weather', approve: true, arguments: args }]));
});

test('a call that waits in a chat is denied with a note to its agent', async () => {
  const waiting = approval('weather');
  openConsole(script, `/o/${ORG}/chats/a-chat`, {
    ...answersWith(waiting),
    'POST /api/approvals/weather/decision': { body: { ...waiting, status: 'denied' } },
  });
  await ask(waiting);
  const [shown] = await asked(1);
  await press(shown, 'Add a note');
  await userEvent.type(within(shown as HTMLElement).getByLabelText('Note'), 'Not today');
  await press(shown, 'Deny');
  await waitFor(() => expect(decisions()).toEqual([{ id: 'weather', approve: false, note: 'Not today' }]));
});

test('what is done in the name of the user is not approved by the user where somebody else has to', async () => {
  const waiting = approval('transfer', { user_id: USER.id, other_person: true });
  openConsole(script, `/o/${ORG}/chats/a-chat`, {
    ...answersWith(waiting),
    'POST /api/approvals/transfer/decision': { body: { ...waiting, status: 'denied' } },
  });
  await ask(waiting);
  const [shown] = await asked(1);
  const approve = within(shown as HTMLElement).getByRole('button', { name: 'Approve' });
  await waitFor(() => expect(approve.getAttribute('title')).toContain('Somebody else has to approve'));
  await press(shown, 'Deny');
  await waitFor(() => expect(decisions()).toEqual([{ id: 'transfer', approve: false }]));
});

test('what a call does is said once, and all its arguments are opened below', async () => {
  const body = { account: 'all' };
  const waiting = approval('transfer', {
    arguments: { url: 'https://bank.example/transfer', method: 'POST', body, timeout_s: 30 },
    details: [...approval('transfer').details, { label: 'Body', value: '{"account":"all"}' }],
  });
  openConsole(script, `/o/${ORG}/chats/a-chat`, answersWith(waiting));
  await ask(waiting);
  const [shown] = await asked(1);
  const all = within(shown as HTMLElement)
    .getByText('All arguments (4)')
    .closest('details');
  const namesIn = (element: ParentNode | null | undefined) =>
    [...(element?.querySelectorAll('dt > span:first-child') ?? [])].map(({ textContent }) => textContent);
  expect([all?.open, namesIn(all)]).toEqual([false, ['url', 'method', 'body', 'timeout_s']]);
  all?.remove();
  expect(namesIn(shown)).toEqual(['Method', 'Address', 'Body', 'timeout_s']);
  expect(within(shown as HTMLElement).getByText(/^\{\s+"account": "all"\s+\}$/)).toBeDefined();
});

test('a decision that cannot be made says why, and the call stays', async () => {
  const waiting = approval('weather');
  openConsole(script, `/o/${ORG}/chats/a-chat`, {
    ...answersWith(waiting),
    'POST /api/approvals/weather/decision': { status: 403, body: { detail: 'Not with this tool' } },
  });
  await ask(waiting);
  const [shown] = await asked(1);
  await press(shown, 'Approve');
  await screen.findAllByText('Not with this tool');
  await asked(1);
});

test('each detail of a call is shown, also those of the same name', async () => {
  const values = Array.from({ length: 45 }, (_, at) => `Agent ${at}`);
  const waiting = approval('weather', { details: values.map((value) => ({ label: 'Agent', value })), arguments: {} });
  openConsole(script, `/o/${ORG}/chats/a-chat`, answersWith(waiting));
  await ask(waiting);
  const [shown] = await asked(1);
  expect([...(shown?.querySelectorAll('dd') ?? [])].map(({ textContent }) => textContent)).toEqual(values);
});

test('what a call does cannot be hidden by its arguments', async () => {
  const lines = `first${'\n'.repeat(500)}rm -rf /`;
  const waiting = approval('weather', {
    details: [{ label: 'Address', value: 'https://bank.example/\u202Etxt.exe' }],
    arguments: {
      'to\u200D': 'a\u2066b\u3164\u{E0041}',
      command: lines,
      ...Object.fromEntries(Array.from({ length: 70 }, (_, n) => [`key ${n}`, n])),
    },
  });
  openConsole(script, `/o/${ORG}/chats/a-chat`, answersWith(waiting));
  await ask(waiting);
  const [shown] = await asked(1);
  const region = within(shown as HTMLElement);
  expect(region.getByText('https://bank.example/⟨U+202E⟩txt.exe')).toBeDefined();
  expect(region.getByText('to⟨U+200D⟩')).toBeDefined();
  expect(region.getByText('a⟨U+2066⟩b⟨U+3164⟩⟨U+E0041⟩')).toBeDefined();
  expect(region.getByText(`501 lines, ${lines.length} characters`)).toBeDefined();
  const blocks = [...(shown?.querySelectorAll('pre') ?? [])];
  expect(blocks.map(({ tabIndex, textContent }) => [tabIndex, textContent?.slice(-8)])).toEqual([
    [0, 'rm -rf /'],
    [0, '": 69\n}'.padStart(8, '9')],
  ]);
  expect(region.getByText('12 more arguments')).toBeDefined();
});

test('a chat with an agent that is tried shows its calls and decides about them too', async () => {
  const waiting = approval('weather');
  const rights = { permissions: [...RIGHTS, 'agents.manage'] };
  openConsole(script, `/o/${ORG}/agents/an-agent`, {
    ...answersWith(waiting),
    'GET /api/permissions/me': { body: rights },
    'GET /api/agents/an-agent': { body: { ...NEW_AGENT, ...AGENT, created_at: TIME, updated_at: TIME } },
    'POST /api/chats': { status: 201, body: CHAT },
    'POST /api/chats/a-chat/stream': {
      headers: { 'content-type': 'text/event-stream' },
      body: 'event: stream_start\n\n',
    },
    'POST /api/approvals/weather/decision': { body: { ...waiting, status: 'approved' } },
  });
  await userEvent.click(await screen.findByRole('button', { name: 'Try it' }));
  const chat = within(await screen.findByRole('region', { name: 'Try Analyst' }));
  const message = chat.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' });
  await userEvent.type(message, 'Send it{Enter}');
  await waitFor(() => expect(message.value).toBe(''));
  await ask(waiting);
  const [shown] = await asked(1);
  await press(shown, 'Approve');
  await waitFor(() => expect(decisions()).toEqual([{ id: 'weather', approve: true }]));
});

test('a question is answered where it is asked', async () => {
  const question = {
    text: 'Ship it?',
    options: ['Now', 'Later'],
    default_answer: 'Later',
    user_id: USER.id,
    user_name: 'Ada',
    role: null,
  };
  const waiting = approval('ship', { tool: 'ask_person', details: [], question });
  openConsole(script, `/o/${ORG}/chats/a-chat`, {
    ...answersWith(waiting),
    'POST /api/approvals/ship/decision': { body: { ...waiting, status: 'answered', answer: 'Now' } },
  });
  await ask(waiting);
  const shown = await screen.findByRole('region', { name: 'Question' });
  within(shown).getByText('Ship it?');
  await userEvent.click(within(shown).getByRole('radio', { name: 'Now' }));
  await userEvent.type(within(shown).getByLabelText('Note'), 'At last');
  await press(shown, 'Answer');
  await waitFor(() => expect(decisions()).toEqual([{ id: 'ship', approve: true, answer: 'Now', note: 'At last' }]));
});

test('a question of somebody else says so, and is not answered', async () => {
  const question = {
    text: 'Ship it?',
    options: null,
    default_answer: 'No',
    user_id: 'grace',
    user_name: 'Grace',
    role: null,
  };
  const waiting = approval('ship', { tool: 'ask_person', details: [], question });
  openConsole(script, `/o/${ORG}/chats/a-chat`, answersWith(waiting));
  await ask(waiting);
  const shown = await screen.findByRole('region', { name: 'Question' });
  within(shown).getByText('Asks Grace');
  const button = within(shown).getByRole('button', { name: 'Answer' });
  await waitFor(() => expect(button.getAttribute('title')).toBe('Somebody else is asked'));
});
