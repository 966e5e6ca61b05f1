import type { EditorView } from '@codemirror/view';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { serveScript } from '../../test/support/console/scripted-api.ts';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { editorIn } from '../../test/support/console/opened-editor.tsx';
import { bodyOf } from './schedule-form.tsx';

const script = serveScript();
beforeEach(() => {
  URL.createObjectURL = jest.fn(() => 'blob:file');
  URL.revokeObjectURL = jest.fn();
});
afterEach(() => localStorage.clear());
const CHANGED = '2026-11-20T10:00:00.000Z';
const FIELDS = {
  name: 'Weekly report',
  description: '',
  agent_id: 'a1',
  prompt: 'Write it.',
  cron_expr: '0 9 * * *',
  interval_minutes: null,
  timezone: 'UTC',
  overlap: 'skip',
  catchup_minutes: 10,
  jitter_seconds: 0,
  pause_on_failure: false,
  start_at: null,
  end_at: null,
  max_runs: null,
  keep_runs_days: 90,
};
const schedule = (more: Readonly<Record<string, unknown>> = {}) => ({
  ...FIELDS,
  description: null,
  id: 's1',
  org_id: ORG,
  owner_id: 'ada',
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

const BUILDER = { permissions: ['schedules.view', 'schedules.manage', 'ui.advanced_mode'] };
const openSettings = (answers: Parameters<typeof openConsole>[2] = {}) =>
  open('/s1?tab=settings', { 'GET /api/permissions/me': { body: BUILDER }, ...answers });
const jsonOf = (request: (typeof script.requests)[number] | undefined) => JSON.parse(request?.body ?? '') as unknown;

async function openJson(): Promise<EditorView> {
  fireEvent.click(await screen.findByText('Edit as JSON'));
  return editorIn(document);
}
const typeJson = (editor: EditorView, text: string) =>
  act(() => editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } }));
const typed = (more: object) => JSON.stringify({ ...FIELDS, ...more }, null, 2);

test('a record is changed as JSON like by its form: what was changed is sent, with the version that was seen', async () => {
  openSettings({ 'PATCH /api/schedules/s1': { body: schedule() } });
  const editor = await openJson();
  expect(JSON.parse(editor.state.doc.toString())).toEqual(FIELDS);
  typeJson(editor, typed({ overlap: 'allow_all', max_runs: 3 }));
  fireEvent.click(await screen.findByRole('button', { name: 'Edit as a form' }));
  expect((await screen.findByLabelText<HTMLInputElement>('End after this many runs')).value).toBe('3');
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent('PATCH')).toHaveLength(1));
  expect(jsonOf(sent('PATCH')[0])).toEqual({ overlap: 'allow_all', max_runs: 3 });
  expect(sent('PATCH')[0]?.headers['if-match']).toBe(`"${CHANGED}"`);
});

test('what the server refuses of JSON is said at it, and what was typed stays', async () => {
  const detail = [
    { loc: ['body', 'cron_expr'], msg: 'has too few fields', type: 'value_error' },
    { loc: ['body', 'max_runs'], msg: 'must be positive', type: 'value_error' },
  ];
  openSettings({ 'PATCH /api/schedules/s1': { status: 422, body: { detail } } });
  const editor = await openJson();
  typeJson(editor, typed({ cron_expr: '* *', max_runs: -1 }));
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText(/cron_expr: has too few fields\s+max_runs: must be positive/);
  expect(JSON.parse(editor.state.doc.toString())).toMatchObject({ cron_expr: '* *', max_runs: -1 });
});

test('JSON that is not the record is not saved, and is not lost by going to the form', async () => {
  openSettings();
  const editor = await openJson();
  typeJson(editor, typed({ colour: 'red' }));
  await screen.findByText('“colour” is not a field of this record.');
  expect(screen.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe('true');
  const form = screen.getByRole('button', { name: 'Edit as a form' });
  expect(form.getAttribute('aria-disabled')).toBe('true');
  fireEvent.click(form);
  expect(editor.state.doc.toString()).toContain('colour');
  fireEvent.click(screen.getByRole('button', { name: 'Discard changes' }));
  await waitFor(() => expect(JSON.parse(editor.state.doc.toString())).toEqual(FIELDS));
});

test('JSON that is being typed stays when somebody else saves, and takes nothing of that back', async () => {
  let stored = schedule();
  const { cache } = openSettings({
    'GET /api/schedules/s1': () => ({ body: stored }),
    'PATCH /api/schedules/s1': { body: schedule() },
  });
  const editor = await openJson();
  typeJson(editor, `${typed({ name: 'Mine', max_runs: 3 })},`);
  await screen.findByText(/is not JSON from here on/);
  stored = { ...schedule(), name: 'Theirs', prompt: 'Write more.' };
  await act(async () => cache.invalidateQueries());
  await screen.findByRole('heading', { level: 1, name: 'Theirs' });
  expect(editor.state.doc.toString()).toContain('"name": "Mine"');
  act(() => editor.dispatch({ changes: { from: editor.state.doc.length - 1, to: editor.state.doc.length } }));
  await screen.findByText('name: Changed by somebody else to: Theirs');
  const merged = { ...FIELDS, name: 'Mine', max_runs: 3, prompt: 'Write more.' };
  await waitFor(() => expect(JSON.parse(editor.state.doc.toString())).toEqual(merged));
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Overwrite with mine' }));
  await waitFor(() => expect(sent('PATCH')).toHaveLength(1));
  expect(jsonOf(sent('PATCH')[0])).toEqual({ name: 'Mine', max_runs: 3 });
});

test('values that no form can show are said so, and the form is back once they are discarded', async () => {
  const silence = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  openSettings();
  const editor = await openJson();
  typeJson(editor, typed({ start_at: {}, prompt: null, max_runs: {} }));
  fireEvent.click(await screen.findByRole('button', { name: 'Edit as a form' }));
  await screen.findByText(/cannot be shown/);
  fireEvent.click(screen.getByRole('button', { name: 'Discard changes' }));
  expect((await screen.findByLabelText<HTMLInputElement>('Name')).value).toBe('Weekly report');
  silence.mockRestore();
});

test('who does not build sees the form only', async () => {
  openSettings({ 'GET /api/permissions/me': { body: { permissions: BUILDER.permissions.slice(0, 2) } } });
  await screen.findByLabelText('Name');
  expect(screen.queryByRole('button', { name: 'Edit as JSON' })).toBe(null);
});

test('a copy is made with all that the record has, and is not active', async () => {
  const copy = { ...schedule(), id: 's2', name: 'Weekly report copy' };
  openSettings({
    'POST /api/schedules': { status: 201, body: copy },
    'GET /api/schedules/s2': { body: copy },
    'GET /api/schedules/s2/runs': { body: [] },
    'GET /api/schedules/s2/next': { body: { times: [] } },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'More actions' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Duplicate' }));
  await screen.findByRole('heading', { level: 1, name: 'Weekly report copy' });
  const posted = sent('POST').filter(({ path }) => path === '/api/schedules');
  expect(posted.map(jsonOf)).toEqual([{ ...FIELDS, name: 'Weekly report copy', is_active: false }]);
});

test('where the name of a copy is taken the next ones are tried, and then it says so', async () => {
  openSettings({ 'POST /api/schedules': { status: 409, body: { detail: 'The name is taken' } } });
  fireEvent.click(await screen.findByRole('button', { name: 'More actions' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Duplicate' }));
  await waitFor(() => expect(sent('POST').filter(({ path }) => path === '/api/schedules')).toHaveLength(9));
  // It is shown, and read out.
  await screen.findAllByText('The name is taken');
  const names = sent('POST')
    .filter(({ path }) => path === '/api/schedules')
    .map((request) => (jsonOf(request) as { name: string }).name);
  expect(names.slice(0, 2)).toEqual(['Weekly report copy', 'Weekly report copy 2']);
  expect(names).toHaveLength(9);
});

test('an export is a file from which a record like it can be made: no ids, no times, no secrets', async () => {
  openSettings();
  const blobs: Blob[] = [];
  URL.createObjectURL = jest.fn((blob) => {
    blobs.push(blob as Blob);
    return 'blob:file';
  });
  const names: string[] = [];
  const click = jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function name(
    this: HTMLAnchorElement,
  ) {
    names.push(this.download);
  });
  fireEvent.click(await screen.findByRole('button', { name: 'More actions' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Export as JSON' }));
  click.mockRestore();
  expect(names).toEqual(['weekly-report.schedule.json']);
  const reader = new FileReader();
  const read = new Promise((resolve) => reader.addEventListener('load', resolve));
  reader.readAsText(blobs[0] ?? new Blob());
  await read;
  expect(JSON.parse(reader.result as string)).toEqual(FIELDS);
});
