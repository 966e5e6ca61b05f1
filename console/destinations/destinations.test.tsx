import { expect, test } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { serveScript } from '../../test/support/console/scripted-api.ts';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { bodyOf, valuesOf } from './destination-fields.tsx';
import type { Destination } from './queries.ts';

const script = serveScript();
const mail: Destination = {
  id: 'd1',
  owner_id: 'ada',
  name: 'Sales',
  kind: 'email',
  integration_id: 'i1',
  config: { to: ['Ada <ada@example.com>', 'bob@example.com'] },
  quiet_hours: { timezone: 'UTC', from: '22:00', to: '07:00', days: ['fri'] },
  digest_minutes: 60,
  has_secret: false,
  is_active: false,
  paused_reason: 'no such channel',
  checked_at: null,
  error: null,
  created_at: '2026-11-20T10:00:00.000Z',
  updated_at: '2026-11-20T10:00:00.000Z',
};
const rights = ['integrations.view', 'integrations.manage', 'settings.manage', 'ui.advanced_mode'];

test('a destination says why it is paused, sends a test message, and goes on', async () => {
  openConsole(script, `/o/${ORG}/destinations/d1`, {
    'GET /api/permissions/me': { body: { permissions: rights, is_restricted: false } },
    'GET /api/destinations/d1': { body: mail },
    'GET /api/integrations': { body: [{ id: 'i1', kind: 'smtp', name: 'Mail' }] },
    'POST /api/destinations/d1/test': { body: { ok: true, latency_ms: 20, error: null } },
    'PATCH /api/destinations/d1': { body: { ...mail, is_active: true } },
  });
  await screen.findByText('Paused: no such channel');
  const sendTest = screen.getByRole('button', { name: 'Send a test' });
  await waitFor(() => expect(sendTest.getAttribute('aria-disabled')).toBeNull());
  fireEvent.click(sendTest);
  await screen.findByText('Accepted in 20 ms');
  fireEvent.click(screen.getByRole('button', { name: 'Resume' }));
  await screen.findByText('Reports are sent again');
  expect(script.requests.find(({ method }) => method === 'PATCH')?.body).toBe('{"is_active":true}');
});

test('a destination names the recipients that the server refuses a test message for', async () => {
  const error = 'The server accepts no mail for nobody@example.com';
  openConsole(script, `/o/${ORG}/destinations/d1`, {
    'GET /api/permissions/me': { body: { permissions: rights, is_restricted: false } },
    'GET /api/destinations/d1': { body: mail },
    'GET /api/integrations': { body: [{ id: 'i1', kind: 'smtp', name: 'Mail' }] },
    'POST /api/destinations/d1/test': { body: { ok: true, latency_ms: 20, error } },
  });
  await screen.findByText('Paused: no such channel');
  const sendTest = screen.getByRole('button', { name: 'Send a test' });
  await waitFor(() => expect(sendTest.getAttribute('aria-disabled')).toBeNull());
  fireEvent.click(sendTest);
  expect(await screen.findAllByText(`Not accepted: ${error}`)).not.toEqual([]);
});

test('a destination lists what was reported to it, and sends a report again', async () => {
  const delivery = {
    id: 'x1',
    event: 'run.missed',
    message_id: null,
    run_id: null,
    schedule_id: 's1',
    status: 'failed',
    attempts: 6,
    last_status: null,
    error: 'no such user',
    next_attempt_at: null,
    created_at: '2026-11-20T10:00:00.000Z',
    attempt_log: [],
  };
  openConsole(script, `/o/${ORG}/destinations/d1`, {
    'GET /api/permissions/me': { body: { permissions: rights, is_restricted: false } },
    'GET /api/destinations/d1': { body: mail },
    'GET /api/integrations': { body: [{ id: 'i1', kind: 'smtp', name: 'Mail' }] },
    'GET /api/destinations/d1/deliveries': { body: [delivery] },
    'POST /api/destinations/d1/deliveries/x1/resend': { body: { ...delivery, status: 'pending' }, status: 202 },
  });
  const row = await screen.findByRole('row', { name: /no run/ });
  expect(row.textContent).toContain('no such user');
  const again = within(row).getByRole('button', { name: 'Deliver again' });
  await waitFor(() => expect(again.getAttribute('aria-disabled')).toBe(null));
  fireEvent.click(again);
  await screen.findByText('Delivering again');
});

test('the recipients of a destination are lines of its form', () => {
  const values = valuesOf(mail);
  expect(values.to).toBe('Ada <ada@example.com>\nbob@example.com');
  expect(bodyOf({ ...values, to: `${values.to}\n\n eve@example.com `, secret: '' })).toEqual({
    name: 'Sales',
    integration_id: 'i1',
    config: { to: ['Ada <ada@example.com>', 'bob@example.com', 'eve@example.com'] },
    quiet_hours: mail.quiet_hours,
    digest_minutes: 60,
  });
  expect(bodyOf({ ...values, quiet_to: '' }).quiet_hours).toBeNull();
});

test('undelivered reports come page by page, and are dismissed one by one', async () => {
  const report = (nth: number) => ({
    id: `r${nth}`,
    destination_id: 'd1',
    destination_name: 'Sales',
    kind: 'email',
    status: 'failed',
    attempts: 6,
    error: '550 no such user',
    last_attempt_at: null,
    next_attempt_at: null,
    delivered_at: null,
    created_at: '2026-01-20T10:00:00.000Z',
    attempt_log: [],
    run_id: `run${nth}`,
    workflow_id: null,
    schedule_id: 's1',
    chat_id: null,
    task_id: null,
    name: `Report ${nth}`,
  });
  let left = [1, 2, 3].map(report);
  openConsole(script, `/o/${ORG}/inbox?view=failed`, {
    'GET /api/permissions/me': {
      body: { permissions: [...rights, 'schedules.view', 'schedules.manage'], is_restricted: false },
    },
    'GET /api/runs': { body: [] },
    'GET /api/approvals': { body: [] },
    'GET /api/runs/undelivered': (query) => {
      const at = Number(query.get('offset') ?? 0);
      return { body: left.slice(at, at + 2), headers: { 'x-total-count': String(left.length) } };
    },
    'POST /api/runs/undelivered/r1/dismiss': () => {
      left = left.slice(1);
      return { status: 204 };
    },
  });
  await screen.findByText('Report 1, to Sales');
  fireEvent.click(screen.getByRole('button', { name: 'Load more' }));
  await screen.findByText('Report 3, to Sales');
  fireEvent.click(screen.getAllByRole('button', { name: 'Dismiss' })[0] ?? document.body);
  await waitFor(() => expect(screen.queryByText('Report 1, to Sales')).toBeNull());
});
