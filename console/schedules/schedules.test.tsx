import { afterEach, expect, test } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { serveScript } from '../../test/support/console/scripted-api.ts';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { bodyOf } from './schedule-form.tsx';

const script = serveScript();
afterEach(() => localStorage.clear());
const CHANGED = '2026-11-20T10:00:00.000Z';
const schedule = (more: Readonly<Record<string, unknown>> = {}) => ({
  id: 's1',
  org_id: ORG,
  owner_id: 'ada',
  name: 'Weekly report',
  description: null,
  cron_expr: '0 9 * * *',
  interval_minutes: null,
  agent_id: 'a1',
  prompt: 'Write it.',
  timezone: 'UTC',
  overlap: 'skip',
  catchup_minutes: 10,
  jitter_seconds: 0,
  pause_on_failure: false,
  start_at: null,
  end_at: null,
  max_runs: null,
  keep_runs_days: 90,
  is_active: true,
  pause_reason: null,
  next_run_at: null,
  last_run: null,
  notify_url: null,
  has_notify_secret: false,
  notify_status: null,
  notify_pause_reason: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: CHANGED,
  ...more,
});
const open = (path: string, answers: Parameters<typeof openConsole>[2]) =>
  openConsole(script, `/o/${ORG}/schedules${path}`, {
    'GET /api/permissions/me': { body: { permissions: ['schedules.view', 'schedules.manage', 'webhooks.manage'] } },
    'GET /api/agents': { body: [{ id: 'a1', name: 'Analyst' }] },
    'GET /api/schedules/s1': { body: schedule() },
    'GET /api/schedules/s1/runs': { body: [] },
    'GET /api/schedules/s1/next': { body: { times: ['2026-12-01T09:00:00.000Z'] } },
    ...answers,
  });
const sent = (method: string) =>
  script.requests.filter((request) => request.method === method && request.path.startsWith('/api/schedules'));

test('a schedule that has stopped by itself says why', async () => {
  open('', { 'GET /api/schedules': { body: [schedule({ is_active: false, pause_reason: 'The agent was deleted' })] } });
  const row = (await screen.findByRole('rowheader', { name: /^Weekly report/ })).closest('tr');
  expect(row?.textContent).toContain('paused');
  expect(row?.textContent).toContain('The agent was deleted');
});

test('only what was changed is sent, with the version that was seen', async () => {
  open('/s1?tab=settings', { 'PATCH /api/schedules/s1': { body: schedule({ name: 'Report' }) } });
  fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'Report' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent('PATCH')).toHaveLength(1));
  const [request] = sent('PATCH');
  expect(JSON.parse(request?.body ?? '')).toEqual({ name: 'Report' });
  expect(request?.headers['if-match']).toBe(`"${CHANGED}"`);
});

test('what somebody else has changed meanwhile is not overwritten unasked', async () => {
  open('/s1?tab=settings', { 'PATCH /api/schedules/s1': { status: 412, body: { detail: 'Changed meanwhile' } } });
  fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'Report' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Overwrite with mine' }));
  await waitFor(() => expect(sent('PATCH')).toHaveLength(2));
  expect(sent('PATCH')[1]?.headers['if-match']).toBe(undefined);
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Report');
});

test('a bound that is set is sent as a time, and one that is emptied as none', async () => {
  open('/s1?tab=settings', {
    'GET /api/schedules/s1': { body: schedule({ end_at: '2027-01-01T10:00:30.000Z' }) },
    'PATCH /api/schedules/s1': { body: schedule() },
  });
  fireEvent.change(await screen.findByLabelText('Start date'), { target: { value: '2026-12-24T18:00' } });
  fireEvent.change(screen.getByLabelText('End date'), { target: { value: '' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent('PATCH')).toHaveLength(1));
  expect(JSON.parse(sent('PATCH')[0]?.body ?? '')).toEqual({
    start_at: new Date('2026-12-24T18:00').toISOString(),
    end_at: null,
  });
});

test('times that will find the run before at work are said before they come', async () => {
  const from = new Date(Date.now() - 7_200_000).toISOString();
  const ended = { id: 'r1', status: 'completed', started_at: from, completed_at: new Date().toISOString() };
  open('/s1', {
    'GET /api/schedules/s1': { body: schedule({ cron_expr: '0 * * * *' }) },
    'GET /api/schedules/s1/runs': { body: [{ ...ended, created_at: from, chat_id: null, error: null }] },
  });
  await screen.findByText(
    /^A run usually takes 2 h 0 min: \d+ upcoming runs would start while the one before is still going/,
  );
});

test('past times are counted before they are backfilled', async () => {
  open('/s1', { 'POST /api/schedules/s1/backfill': { status: 202, body: { created: 2, skipped: 1 } } });
  fireEvent.click(await screen.findByRole('button', { name: 'More actions' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Backfill' }));
  const dialog = await screen.findByRole('dialog');
  fireEvent.change(within(dialog).getByLabelText('From'), { target: { value: '2026-01-05T00:00' } });
  fireEvent.change(within(dialog).getByLabelText('To'), { target: { value: '2026-01-08T00:00' } });
  await within(dialog).findByText(/^3 times in it/);
  fireEvent.change(within(dialog).getByLabelText('To'), { target: { value: '2026-11-08T00:00' } });
  await within(dialog).findByText(/^More than 100 times/);
  fireEvent.change(within(dialog).getByLabelText('To'), { target: { value: '2026-01-01T00:00' } });
  await within(dialog).findByText('The end must be after the start.');
  fireEvent.change(within(dialog).getByLabelText('To'), { target: { value: '2026-01-08T00:00' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Backfill' }));
  await screen.findByText('2 runs started, 1 had run before');
});

test('without the right to change them the buttons say so', async () => {
  open('/s1', { 'GET /api/permissions/me': { body: { permissions: ['schedules.view'] } } });
  const button = await screen.findByRole('button', { name: 'Run now' });
  await waitFor(() => expect(button.getAttribute('title')).toContain('“Schedules: view and change”'));
  fireEvent.click(screen.getByRole('button', { name: 'More actions' }));
  await screen.findByRole('menuitem', { name: 'Export as JSON' });
  const ofMenu = screen.getAllByRole('menuitem');
  expect(ofMenu.map((item) => item.getAttribute('aria-disabled'))).toEqual([null, 'true', 'true']);
});

test('a number that was emptied is left as it is, one that may be missing is not', () => {
  expect(bodyOf({ catchup_minutes: null, jitter_seconds: 5, max_runs: null, name: 'A' })).toEqual({
    jitter_seconds: 5,
    max_runs: null,
    name: 'A',
  });
});
