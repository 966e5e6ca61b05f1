import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { EditorView } from '@codemirror/view';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { editorIn } from '../../test/support/console/opened-editor.tsx';
import { serveScript } from '../../test/support/console/scripted-api.ts';

const script = serveScript();
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
const SCHEDULE = {
  ...FIELDS,
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
};
const RIGHTS = ['schedules.view', 'schedules.manage', 'ui.advanced_mode'];
const open = (answers: Parameters<typeof openConsole>[2] = {}) =>
  openConsole(script, `/o/${ORG}/schedules/s1?tab=settings`, {
    'GET /api/permissions/me': { body: { permissions: RIGHTS } },
    'GET /api/agents': { body: [{ id: 'a1', name: 'Analyst' }] },
    'GET /api/schedules/s1': { body: SCHEDULE },
    'GET /api/schedules/s1/runs': { body: [] },
    'GET /api/schedules/s1/next': { body: { times: [] } },
    ...answers,
  });
const sent = (method: string) => script.requests.filter((request) => request.method === method);
const bodyOf = (request: (typeof script.requests)[number] | undefined) => JSON.parse(request?.body ?? '') as unknown;

async function openJson(): Promise<EditorView> {
  fireEvent.click(await screen.findByText('Edit as JSON'));
  return editorIn(document);
}
const typeJson = (editor: EditorView, text: string) =>
  act(() => editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } }));
const typed = (more: object) => JSON.stringify({ ...FIELDS, ...more }, null, 2);

beforeEach(() => {
  URL.createObjectURL = jest.fn(() => 'blob:file');
  URL.revokeObjectURL = jest.fn();
});
afterEach(() => localStorage.clear());

test('a record is changed as JSON like by its form: what was changed is sent, with the version that was seen', async () => {
  open({ 'PATCH /api/schedules/s1': { body: SCHEDULE } });
  const editor = await openJson();
  expect(JSON.parse(editor.state.doc.toString())).toEqual(FIELDS);
  typeJson(editor, typed({ overlap: 'allow_all', max_runs: 3 }));
  fireEvent.click(await screen.findByRole('button', { name: 'Edit as a form' }));
  expect((await screen.findByLabelText<HTMLInputElement>('End after this many runs')).value).toBe('3');
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent('PATCH')).toHaveLength(1));
  expect(bodyOf(sent('PATCH')[0])).toEqual({ overlap: 'allow_all', max_runs: 3 });
  expect(sent('PATCH')[0]?.headers['if-match']).toBe(`"${CHANGED}"`);
});

test('what the server refuses of JSON is said at it, and what was typed stays', async () => {
  const detail = [
    { loc: ['body', 'cron_expr'], msg: 'has too few fields', type: 'value_error' },
    { loc: ['body', 'max_runs'], msg: 'must be positive', type: 'value_error' },
  ];
  open({ 'PATCH /api/schedules/s1': { status: 422, body: { detail } } });
  const editor = await openJson();
  typeJson(editor, typed({ cron_expr: '* *', max_runs: -1 }));
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText(/cron_expr: has too few fields\s+max_runs: must be positive/);
  expect(JSON.parse(editor.state.doc.toString())).toMatchObject({ cron_expr: '* *', max_runs: -1 });
});

test('JSON that is not the record is not saved, and is not lost by going to the form', async () => {
  open();
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
  let stored = SCHEDULE;
  const { cache } = open({
    'GET /api/schedules/s1': () => ({ body: stored }),
    'PATCH /api/schedules/s1': { body: SCHEDULE },
  });
  const editor = await openJson();
  typeJson(editor, `${typed({ name: 'Mine', max_runs: 3 })},`);
  await screen.findByText(/is not JSON from here on/);
  stored = { ...SCHEDULE, name: 'Theirs', prompt: 'Write more.' };
  await act(async () => cache.invalidateQueries());
  await screen.findByRole('heading', { level: 1, name: 'Theirs' });
  expect(editor.state.doc.toString()).toContain('"name": "Mine"');
  act(() => editor.dispatch({ changes: { from: editor.state.doc.length - 1, to: editor.state.doc.length } }));
  await screen.findByText('name: Changed by somebody else to: Theirs');
  const merged = { ...FIELDS, name: 'Mine', max_runs: 3, prompt: 'Write more.' };
  await waitFor(() => expect(JSON.parse(editor.state.doc.toString())).toEqual(merged));
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent('PATCH')).toHaveLength(1));
  expect(bodyOf(sent('PATCH')[0])).toEqual({ name: 'Mine', max_runs: 3 });
});

test('values that no form can show are said so, and the form is back once they are discarded', async () => {
  const silence = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  open();
  const editor = await openJson();
  typeJson(editor, typed({ start_at: {}, prompt: null, max_runs: {} }));
  fireEvent.click(await screen.findByRole('button', { name: 'Edit as a form' }));
  await screen.findByText(/cannot be shown/);
  fireEvent.click(screen.getByRole('button', { name: 'Discard changes' }));
  expect((await screen.findByLabelText<HTMLInputElement>('Name')).value).toBe('Weekly report');
  silence.mockRestore();
});

test('who does not build sees the form only', async () => {
  open({ 'GET /api/permissions/me': { body: { permissions: RIGHTS.slice(0, 2) } } });
  await screen.findByLabelText('Name');
  expect(screen.queryByRole('button', { name: 'Edit as JSON' })).toBe(null);
});

test('a copy is made with all that the record has, and is not active', async () => {
  const copy = { ...SCHEDULE, id: 's2', name: 'Weekly report copy' };
  open({
    'POST /api/schedules': { status: 201, body: copy },
    'GET /api/schedules/s2': { body: copy },
    'GET /api/schedules/s2/runs': { body: [] },
    'GET /api/schedules/s2/next': { body: { times: [] } },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'More actions' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Duplicate' }));
  await screen.findByRole('heading', { level: 1, name: 'Weekly report copy' });
  const posted = sent('POST').filter(({ path }) => path === '/api/schedules');
  expect(posted.map(bodyOf)).toEqual([{ ...FIELDS, name: 'Weekly report copy', is_active: false }]);
});

test('where the name of a copy is taken the next ones are tried, and then it says so', async () => {
  open({ 'POST /api/schedules': { status: 409, body: { detail: 'The name is taken' } } });
  fireEvent.click(await screen.findByRole('button', { name: 'More actions' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Duplicate' }));
  await waitFor(() => expect(sent('POST').filter(({ path }) => path === '/api/schedules')).toHaveLength(9));
  // It is shown, and read out.
  await screen.findAllByText('The name is taken');
  const names = sent('POST')
    .filter(({ path }) => path === '/api/schedules')
    .map((request) => (bodyOf(request) as { name: string }).name);
  expect(names.slice(0, 2)).toEqual(['Weekly report copy', 'Weekly report copy 2']);
  expect(names).toHaveLength(9);
});

test('an export is a file from which a record like it can be made: no ids, no times, no secrets', async () => {
  open();
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
