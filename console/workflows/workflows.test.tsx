import { afterEach, expect, test } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { serveScript } from '../../test/support/console/scripted-api.ts';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { curlOf } from './webhook-box.tsx';

const script = serveScript();
afterEach(() => localStorage.clear());
const workflow = (more: Readonly<Record<string, unknown>> = {}) => ({
  id: 'w1',
  owner_id: 'ada',
  name: 'Triage',
  description: '',
  agent_id: 'a1',
  trigger_type: 'webhook',
  prompt_template: 'About {{ title }} by {{ user.name }}',
  steps: [],
  max_concurrent_runs: null,
  time_limit_minutes: null,
  keep_runs_days: 90,
  variables: ['title', 'user.name'],
  cron_expr: null,
  interval_minutes: null,
  timezone: 'UTC',
  overlap: 'skip',
  catchup_minutes: 10,
  jitter_seconds: 0,
  next_run_at: null,
  pause_reason: null,
  is_active: true,
  webhook_url: 'https://e.example.com/api/workflows/w1/webhook',
  has_webhook_secret: false,
  notify_url: null,
  has_notify_secret: false,
  notify_status: null,
  notify_pause_reason: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-11-20T10:00:00.000Z',
  ...more,
});
const open = (path: string, answers: Parameters<typeof openConsole>[2] = {}) =>
  openConsole(script, `/o/${ORG}/workflows${path}`, {
    'GET /api/permissions/me': { body: { permissions: ['schedules.view', 'schedules.manage', 'webhooks.manage'] } },
    'GET /api/agents': { body: [{ id: 'a1', name: 'Analyst' }] },
    'GET /api/workflows/w1': { body: workflow() },
    'GET /api/workflows/w1/runs': { body: [] },
    ...answers,
  });
const bodies = (method: string, path: string) =>
  script.requests
    .filter((request) => request.method === method && request.path === path)
    .map(({ body }) => JSON.parse(body) as Record<string, unknown>);

test('a run is started with the values that were given', async () => {
  open('/w1', { 'POST /api/workflows/w1/trigger': { status: 202, body: { run_id: 'r1' } } });
  fireEvent.click(await screen.findByRole('button', { name: 'Run now' }));
  const dialog = await screen.findByRole('dialog', { name: 'Run now' });
  fireEvent.change(within(dialog).getByLabelText('title'), { target: { value: 'Login fails' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Run now' }));
  await screen.findByText('A run was started');
  expect(bodies('POST', '/api/workflows/w1/trigger')).toEqual([{ variables: { title: 'Login fails' } }]);
});

test('a run that cannot be started keeps what was typed', async () => {
  open('/w1', { 'POST /api/workflows/w1/trigger': { status: 429, body: { detail: 'Too many runs are open' } } });
  fireEvent.click(await screen.findByRole('button', { name: 'Run now' }));
  const dialog = await screen.findByRole('dialog', { name: 'Run now' });
  fireEvent.change(within(dialog).getByLabelText('title'), { target: { value: 'Login fails' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Run now' }));
  await within(dialog).findByText('Too many runs are open');
  expect(within(dialog).getByLabelText<HTMLTextAreaElement>('title').value).toBe('Login fails');
});

test('the secret of a webhook is made here, sent, shown once, and in the page no more', async () => {
  open('/w1', { 'PATCH /api/workflows/w1': { body: workflow({ has_webhook_secret: true }) } });
  fireEvent.click(await screen.findByRole('button', { name: 'Require a signature' }));
  const dialog = await screen.findByRole('dialog', { name: 'Webhook secret' });
  const [change] = bodies('PATCH', '/api/workflows/w1');
  const secret = String(change?.['webhook_secret']);
  expect(secret).toMatch(/^[0-9a-f]{64}$/);
  expect(within(dialog).getByText(secret)).toBeDefined();
  fireEvent.click(within(dialog).getByRole('button', { name: 'I have copied it' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBe(null));
  expect(document.documentElement.innerHTML).not.toContain(secret);
  expect(JSON.stringify(localStorage)).not.toContain(secret);
});

test('the first step begins with the prompt, and names and places are sent as they are', async () => {
  open('/w1?tab=settings', { 'PATCH /api/workflows/w1': { body: workflow() } });
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Add a step' }));
  await user.click(screen.getByRole('button', { name: 'Add a step' }));
  const [, second] = screen.getAllByLabelText('Name of the step');
  fireEvent.change(second as HTMLElement, { target: { value: 'send' } });
  fireEvent.change(screen.getAllByLabelText('Prompt')[1] as HTMLElement, {
    target: { value: '{{steps.step1.output}}' },
  });
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(bodies('PATCH', '/api/workflows/w1')).toHaveLength(1));
  const step = { agent_id: null, approval: false, retries: 0 };
  expect(bodies('PATCH', '/api/workflows/w1')[0]).toEqual({
    steps: [
      { ...step, name: 'step1', prompt_template: 'About {{ title }} by {{ user.name }}' },
      { ...step, name: 'send', prompt_template: '{{steps.step1.output}}' },
    ],
  });
});

test('what the server says of a step is said at its field', async () => {
  const detail = [{ type: 'a', loc: ['body', 'steps', 0, 'name'], msg: 'must begin with a letter' }];
  open('/w1?tab=settings', { 'PATCH /api/workflows/w1': { status: 422, body: { detail } } });
  fireEvent.click(await screen.findByRole('button', { name: 'Add a step' }));
  fireEvent.change(screen.getByLabelText('Name of the step'), { target: { value: '1' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('must begin with a letter');
  expect(screen.getByLabelText('Name of the step').getAttribute('aria-invalid')).toBe('true');
});

test('a call of a webhook is written for a shell, whatever variables are called', () => {
  const webhook = { url: 'https://e.example.com/w', variables: ["it's", '$(id)'], isSigned: false };
  expect(curlOf(webhook)).toBe(
    `curl 'https://e.example.com/w' -H 'content-type: application/json' -d '{"it'\\''s":"...","$(id)":"..."}'`,
  );
  expect(curlOf({ ...webhook, isSigned: true })).toContain('openssl dgst -sha256 -hmac "$SECRET"');
});

test('a workflow that is deleted with unsaved changes is left without a question, and without a draft', async () => {
  const { history } = open('/w1?tab=settings', {
    'DELETE /api/workflows/w1': { status: 204 },
    'GET /api/workflows': { body: [] },
  });
  fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'Triage two' } });
  await waitFor(() => expect(JSON.stringify(localStorage)).toContain('Triage two'));
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'More actions' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(history.location.pathname).toBe(`/o/${ORG}/workflows`));
  await screen.findByText(/was deleted/);
  expect(screen.queryByText('Leave without saving?')).toBe(null);
  expect(JSON.stringify(localStorage)).not.toContain('Triage two');
});

test('a step keeps its place in the hand while it is moved: two moves down are two', async () => {
  const steps = ['one', 'two', 'three'].map((name) => ({
    name,
    prompt_template: `Do ${name}`,
    agent_id: null,
    approval: false,
    retries: 0,
  }));
  open('/w1?tab=settings', {
    'GET /api/workflows/w1': { body: workflow({ steps }) },
    'PATCH /api/workflows/w1': { body: workflow({ steps }) },
  });
  const names = () => screen.getAllByLabelText<HTMLInputElement>('Name of the step').map(({ value }) => value);
  (await screen.findByRole('button', { name: 'Move one' })).focus();
  for (let n = 0; n < 2; n += 1) {
    const focused = document.activeElement ?? document.body;
    fireEvent.keyDown(focused, { key: 'ArrowDown', altKey: true });
  }
  expect(names()).toEqual(['two', 'three', 'one']);
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(bodies('PATCH', '/api/workflows/w1')).toHaveLength(1));
  expect(bodies('PATCH', '/api/workflows/w1')[0]).toEqual({ steps: [steps[1], steps[2], steps[0]] });
});

test('a conversation of one’s own is deleted without a question, and comes back by Undo', async () => {
  const chat = { id: 'c1', user_id: 'ada', title: 'Login fails', updated_at: '2026-11-20T10:00:00.000Z' };
  open('/w1?tab=conversations', {
    'GET /api/workflows/w1/conversations': { body: [chat] },
    'DELETE /api/workflows/w1/conversations/c1': { status: 204 },
    'PATCH /api/chats/c1/restore': { body: chat },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Delete' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(script.requests.map(({ path }) => path)).toContain('/api/chats/c1/restore'));
});
