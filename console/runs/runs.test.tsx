import { expect, test } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { serveScript } from '../../test/support/console/scripted-api.ts';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';

const script = serveScript();
const run = (id: string, more: Readonly<Record<string, unknown>> = {}) => ({
  id,
  kind: 'workflow',
  workflow_id: 'w1',
  schedule_id: null,
  name: `Triage ${id}`,
  agent_ids: ['a1'],
  chat_id: 'c1',
  turn_id: null,
  user_id: 'ada',
  status: 'completed',
  triggered_by: 'webhook',
  slot: null,
  step_count: 1,
  step: 0,
  error: null,
  usage: { input_tokens: 1_200, output_tokens: 30 },
  started_at: '2026-11-20T10:00:00.000Z',
  completed_at: '2026-11-20T10:02:05.000Z',
  created_at: '2026-11-20T10:00:00.000Z',
  updated_at: '2026-11-20T10:02:05.000Z',
  ...more,
});
const content = {
  prompt: 'Look at it',
  output: '**Done**',
  variables: {},
  missing_variables: ['title'],
  steps: [],
  deliveries: [],
};
const open = (search: string, answers: Parameters<typeof openConsole>[2]) =>
  openConsole(script, `/o/${ORG}/runs${search}`, {
    'GET /api/permissions/me': { body: { permissions: ['schedules.view', 'schedules.manage', 'ui.advanced_mode'] } },
    'GET /api/agents': { body: [{ id: 'a1', name: 'Analyst' }] },
    ...answers,
  });

test('a run shows how long it took, what had no value and what was answered, and leads to its chat', async () => {
  open('', {
    'GET /api/runs': { body: [run('r1', { turn_id: 't1' }), run('r2')] },
    'GET /api/workflows/w1/runs/r1': { body: content },
    'GET /api/workflows/w1/runs/r2': { body: { ...content, output: 'Other' } },
  });
  const shown = await screen.findByRole('region', { name: 'Triage r1' });
  await within(shown).findByText('Done');
  expect(within(shown).getByText('2 min 5 s')).toBeDefined();
  expect(within(shown).getByText('Without a value: title')).toBeDefined();
  expect(within(shown).getByText('1,200 in · 30 out')).toBeDefined();
  expect(within(shown).getByRole('link', { name: 'Open the chat' }).getAttribute('href')).toBe(`/o/${ORG}/chats/c1`);
  const trace = within(shown).getByRole('link', { name: 'Open the trace' });
  expect(trace.getAttribute('href')).toBe(`/o/${ORG}/chats/c1/turns/t1`);
  fireEvent.keyDown(document.body, { key: 'j' });
  await within(await screen.findByRole('region', { name: 'Triage r2' })).findByText('Other');
});

test('an open run of a schedule is stopped', async () => {
  const running = run('r1', {
    kind: 'schedule',
    workflow_id: null,
    schedule_id: 's1',
    status: 'running',
    triggered_by: 'schedule',
    completed_at: null,
  });
  open('', {
    'GET /api/runs': { body: [running] },
    'GET /api/schedules/runs/r1': { body: { prompt: 'Write', output: '', deliveries: [] } },
    'POST /api/schedules/runs/r1/interrupt': { body: {} },
  });
  await screen.findByText('No answer yet.');
  const stop = screen.getByRole('button', { name: 'Stop' });
  await waitFor(() => expect(stop.getAttribute('aria-disabled')).toBe(null));
  fireEvent.click(stop);
  await screen.findByText('The run is being stopped');
});

test('a run is started again with what it was given, and shows what each of its steps has brought', async () => {
  const step = { agent_id: 'a1', attempts: 1, turn_id: 't1', error: null, status: 'completed' };
  const steps = [
    { ...step, name: 'read', output: 'Three **reports**' },
    { ...step, name: 'write', output: null },
    { ...step, name: 'send', status: 'queued', output: null },
  ];
  const variables = { title: 'Weekly', numbers: [1, 2] };
  const { history } = open('', {
    'GET /api/runs': { body: [run('r1', { step_count: 2 })] },
    'GET /api/workflows/w1/runs/r1': { body: { ...content, variables, steps } },
    'POST /api/workflows/w1/trigger': { status: 202, body: { run_id: 'r2' } },
  });
  await screen.findByText('reports');
  expect(screen.getAllByText('Output')).toHaveLength(1);
  expect(screen.getByText(/^send/).textContent).toContain('(not reached)');
  const again = screen.getByRole('button', { name: 'Run again' });
  await waitFor(() => expect(again.getAttribute('aria-disabled')).toBe(null));
  fireEvent.click(again);
  await screen.findByText('The run was started');
  const [sent] = script.requests.filter(({ path }) => path === '/api/workflows/w1/trigger');
  expect(JSON.parse(sent?.body ?? '')).toEqual({ variables });
  expect(history.location.search).toContain('r2');
});

test('a report that did not arrive says why, and is sent again', async () => {
  const delivery = {
    id: 'd1',
    destination_id: 'p1',
    destination_name: 'Sales',
    kind: 'email',
    status: 'failed',
    attempts: 6,
    error: 'no such user',
    next_attempt_at: null,
    attempt_log: [{ at: '2026-11-20T10:03:00.000Z', status: null, error: 'the server was away' }],
  };
  open('', {
    'GET /api/runs': { body: [run('r1')] },
    'GET /api/workflows/w1/runs/r1': { body: { ...content, deliveries: [delivery] } },
    'POST /api/workflows/w1/runs/r1/deliveries/d1/resend': { body: { ...delivery, status: 'pending' }, status: 202 },
  });
  const row = await screen.findByRole('row', { name: /Sales/ });
  expect(row.textContent).toContain('given up');
  expect(row.textContent).toContain('no such user');
  fireEvent.click(within(row).getByText('6'));
  within(row).getByText(/: the server was away$/);
  const again = within(row).getByRole('button', { name: 'Send again' });
  await waitFor(() => expect(again.getAttribute('aria-disabled')).toBe(null));
  fireEvent.click(again);
  await screen.findByText('Sending it again');
});

test('the list is narrowed to runs of which a report was not delivered', async () => {
  const found = (query: URLSearchParams) => ({ body: query.get('undelivered') === 'true' ? [run('r2')] : [run('r1')] });
  const { history } = open('?reports=undelivered', {
    'GET /api/runs': found,
    'GET /api/workflows/w1/runs/r1': { body: content },
    'GET /api/workflows/w1/runs/r2': { body: content },
  });
  await screen.findByRole('region', { name: 'Triage r2' });
  fireEvent.click(screen.getByRole('button', { name: 'Remove the filter Reports: not delivered' }));
  await screen.findByRole('region', { name: 'Triage r1' });
  expect(history.location.search).toBe('');
});

test('a filter that finds nothing says so, and can be taken away', async () => {
  const { history } = open('?status=failed', { 'GET /api/runs': { body: [] } });
  await screen.findByText('No runs match.');
  fireEvent.click(screen.getByRole('button', { name: 'Remove the filter State: failed' }));
  await screen.findByText('No runs yet');
  expect(history.location.search).toBe('');
});
