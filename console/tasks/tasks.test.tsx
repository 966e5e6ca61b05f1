import { expect, test } from '@jest/globals';
import { act, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { renderInOrg } from '../../test/support/console/hook-in-org.tsx';
import { HOME, openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { serveScript } from '../../test/support/console/scripted-api.ts';
import { useAddTask } from './queries.ts';

const script = serveScript();
const TIME = '2026-11-22T09:30:00.000Z';
const TASK = {
  id: 'a-task',
  chat_id: 'a-chat',
  title: 'Collect the fig\u200Bures',
  description: 'All of them.',
  assigned_agent_id: 'an-agent',
  priority: 'high',
  status: 'completed',
  position: 'a0',
  depends_on: [],
  waits_for: [],
  output: 'Sales rose by **4 %**.',
  error: null,
  attempts: 1,
  sub_chat_id: null,
  parent_turn_id: null,
  issue_id: null,
  parent_task_id: null,
  created_by: 'ada',
  created_at: TIME,
  updated_at: TIME,
  started_at: TIME,
  ended_at: '2026-11-22T09:31:05.000Z',
};

function openTask(permissions: readonly string[], task: object = {}, answers: Parameters<typeof openConsole>[2] = {}) {
  const shown = { ...TASK, ...task };
  openConsole(script, `/o/${ORG}/tasks/a-task`, {
    'GET /api/permissions/me': { body: { permissions: ['tasks.view', 'ui.advanced_mode', ...permissions] } },
    'GET /api/agents': { body: [{ id: 'an-agent', name: 'Builder' }] },
    'GET /api/tasks': { body: [shown] },
    'GET /api/tasks/a-task': { body: shown },
    'POST /api/tasks/a-task/retry': { status: 409, body: { detail: 'The task has not ended' } },
    ...answers,
  });
}
const article = async () => within(await screen.findByRole('article', { name: 'Collect the fig⟨U+200B⟩ures' }));

test('a task that has ended shows its result, cannot be interrupted, and says what stood against another try', async () => {
  openTask(['tasks.manage']);
  const task = await article();
  await task.findByText('4 %');
  task.getByText('1 min 5 s');
  const interrupt = task.getByRole('button', { name: 'Stop' });
  expect([interrupt.getAttribute('aria-disabled'), interrupt.title]).toEqual(['true', 'No agent is working on it.']);
  await userEvent.setup().click(await task.findByRole('button', { name: 'Retry' }));
  expect((await screen.findAllByText('The task has not ended')).length).toBeGreaterThan(0);
});

test('who may not change tasks is told so at each button', async () => {
  openTask([]);
  const task = await article();
  for (const name of ['Stop', 'Retry', 'Delete']) {
    const { title } = task.getByRole('button', { name });
    expect([name, title]).toEqual([name, 'Your role does not include the permission “Tasks: view and change”.']);
  }
});

test('the task of a sub-agent is not tried again by itself, and one that failed says why', async () => {
  openTask(['tasks.manage'], { status: 'failed', error: 'No provider', output: null, parent_turn_id: 'a-turn' });
  const task = await article();
  await task.findByText('No provider');
  expect((await task.findByRole('button', { name: 'Retry' })).title).toMatch(/^It was delegated/);
});

test('a task says where its result was reported, sends it again, and is reported there no more', async () => {
  const deliveries = [{ destination_id: 'p1', when: 'always', subject: null, body: null, files: [] }];
  const report = {
    id: 'd1',
    destination_id: 'p1',
    destination_name: 'Sales',
    kind: 'email',
    status: 'failed',
    attempts: 6,
    error: 'no such user',
    next_attempt_at: null,
    created_at: TIME,
    attempt_log: [],
  };
  openTask(
    ['tasks.manage', 'integrations.view'],
    {},
    {
      'GET /api/destinations': { body: [{ id: 'p1', name: 'Sales' }] },
      'GET /api/tasks/a-task/deliveries': { body: { deliveries, reports: [report] } },
      'POST /api/tasks/a-task/deliveries/d1/resend': { body: { ...report, status: 'pending' }, status: 202 },
      'PUT /api/tasks/a-task/deliveries': { body: { deliveries: [], reports: [report] } },
    },
  );
  const task = await article();
  const row = await task.findByRole('row', { name: /Sales/ });
  expect(row.textContent).toContain('no such user');
  const user = userEvent.setup();
  await user.click(within(row).getByRole('button', { name: 'Send again' }));
  await screen.findByText('Sending it again');
  await user.click(await task.findByRole('button', { name: 'Remove the report to Sales' }));
  await user.click(task.getByRole('button', { name: 'Save' }));
  await screen.findByText('Saved');
  expect(script.requests.find(({ method }) => method === 'PUT')?.body).toBe('{"deliveries":[]}');
});

test('a task that is tried again goes to the chat that was begun for it, and a status it is not given is told', async () => {
  const chat = { id: 'a-chat', agent_id: 'an-agent', project_id: null, title: 'Collect' };
  const begun = { ...HOME, 'POST /api/chats': { status: 201, body: chat } };
  const refused = { status: 422, body: { detail: 'Too long' } };
  script.answer({ ...begun, 'POST /api/tasks': refused });
  const add = renderInOrg(useAddTask);
  const fields = { title: 'Collect', assigned_agent_id: 'an-agent' };
  const given = { fields, chatId: null, projectId: undefined, status: undefined };
  await act(async () => expect(add.current.mutateAsync(given)).rejects.toThrow('Too long'));
  script.answer({
    ...begun,
    'POST /api/tasks': { status: 201, body: TASK },
    'PATCH /api/tasks/a-task': { status: 409, body: { detail: 'It has ended' } },
  });
  await act(async () => add.current.mutateAsync(given));
  const posted = script.requests.filter(({ method, path }) => method === 'POST' && !path.startsWith('/api/auth'));
  expect(posted.map(({ path }) => path)).toEqual(['/api/chats', '/api/tasks', '/api/tasks']);

  const own = { fields: { title: 'Collect' }, chatId: 'a-chat', projectId: undefined, status: 'completed' as const };
  const { task, problem } = await act(async () => add.current.mutateAsync(own));
  expect([task.id, problem?.message]).toEqual(['a-task', 'It has ended']);
});
