import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { type Answer, serveScript } from '../../test/support/console/scripted-api.ts';
import { messageAt } from '../../test/support/console/sample-message.ts';

const script = serveScript();
const TIME = '2026-11-20T10:00:00.000Z';
const CHAT = '019aa4c7-5d10-7cf3-9a5e-3f1f6c0b8d22';
const chat = {
  id: CHAT,
  title: 'Weekly report',
  agent_id: 'agent',
  user_id: 'ada',
  parent_chat_id: null,
  project_id: null,
  provider_chain_id: null,
  shared: false,
  status: 'idle',
  waiting_for: null,
  waiting_until: null,
  created_at: TIME,
  updated_at: TIME,
};
const run = {
  id: 'a-run',
  kind: 'workflow',
  name: 'Nightly',
  workflow_id: 'a-workflow',
  schedule_id: null,
  agent_ids: [],
  chat_id: CHAT,
  turn_id: 'turn',
  user_id: 'ada',
  status: 'failed',
  triggered_by: 'manual',
  slot: null,
  step: 0,
  step_count: 1,
  error: 'no account',
  usage: { input_tokens: 0, output_tokens: 0 },
  started_at: TIME,
  completed_at: TIME,
  created_at: TIME,
  updated_at: TIME,
};
const failed = messageAt(1, { chat_id: CHAT, metadata_: { status: 'failed', error: 'No account' } });
/** Every right but the one to the pages of those who build. */
const ALL_BUT = ['approvals.view', 'agents.view', 'providers.view', 'schedules.view', 'issues.view', 'projects.view'];
const ANSWERS: Record<string, Answer> = {
  'GET /api/permissions/me': { body: { permissions: [...ALL_BUT, 'tasks.view', 'settings.view'] } },
  'GET /api/chats': { body: [chat] },
  [`GET /api/chats/${CHAT}`]: { body: chat },
  [`GET /api/chats/${CHAT}/messages`]: { body: [messageAt(0), failed] },
  'GET /api/approvals': { body: [] },
  'GET /api/runs': { body: [run] },
  'GET /api/workflows/a-workflow/runs/a-run': { body: { ...run, prompt: '', output: '', variables: {}, steps: [] } },
  'GET /api/agents': {
    body: [{ id: 'agent', name: 'Analyst', description: '', is_active: true, tools: [], skills: [] }],
  },
  'GET /api/issues': { body: [] },
  'GET /api/projects': { body: [] },
  'GET /api/chats/search': { body: { results: [], total: 0, query: 'analyst' } },
};
const OPEN_TO_ALL = /^\/o\/[^/]+(?:\/(?:inbox|chats(?:\/[^/]+)?|search|board|trash|settings(?:\/[\w-]+)?))?$/;

beforeEach(() => {
  localStorage.clear();
  // What jsdom does not lay out: rows are in sight when their frame has a height.
  jest.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600);
  jest.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(800);
  globalThis.WebSocket = class extends EventTarget {
    close() {}
    send() {}
  } as unknown as typeof WebSocket;
});

afterEach(() => {
  jest.restoreAllMocks();
});

/** The pages of the organization that links lead to, without those that everybody has. */
function strayLinks(): string[] {
  const paths = [...document.querySelectorAll('a')].map(({ href }) => new URL(href).pathname);
  return [...new Set(paths)].filter((path) => path.startsWith('/o/') && !OPEN_TO_ALL.test(path));
}

test.each([
  ['', 'Hello, Ada', 'Nightly'],
  [`/chats/${CHAT}`, 'Weekly report', 'Failed: No account'],
  [`/chats/${CHAT}?panel=details`, 'Weekly report', 'Shared with the organization'],
  ['/inbox?view=failed&id=a-run', 'Inbox', 'Nightly'],
  ['/board', 'Board', 'Backlog'],
  ['/search?q=analyst', 'Search', /^Nothing has “analyst” in it/],
  ['/settings', 'Settings', 'Your name'],
])('who does not build is led to no page of those who do: %s', async (path, title, words) => {
  openConsole(script, `/o/${ORG}${path}`, ANSWERS);
  await screen.findByRole('heading', { level: 1, name: title });
  await screen.findAllByText(words);
  expect(strayLinks()).toEqual([]);
});

test('the keys and the palette lead to no other page either', async () => {
  const { history } = openConsole(script, `/o/${ORG}`, ANSWERS);
  await screen.findAllByText('Nightly');
  await userEvent.keyboard('ga');
  expect(history.location.pathname).toBe(`/o/${ORG}`);
  await userEvent.keyboard('{Control>}k{/Control}');
  await screen.findByRole('option', { name: /Go to Board/ });
  await waitFor(() => expect(screen.getByRole('option', { name: /Weekly report/ })).toBeTruthy());
  const offered = screen.getAllByRole('option').map(({ textContent }) => textContent);
  expect(offered.filter((each) => /Agents|Projects|Providers|Runs|Analyst/.test(each))).toEqual([]);
});
