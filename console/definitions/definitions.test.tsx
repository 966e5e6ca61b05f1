import { afterEach, expect, test } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { strToU8, zipSync } from 'fflate';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { serveScript } from '../../test/support/console/scripted-api.ts';

const script = serveScript();
afterEach(() => localStorage.clear());

const definition = (more: Readonly<Record<string, unknown>>) => ({
  id: 'd1',
  key: 'release_notes',
  name: 'Release notes',
  description: '',
  category: '',
  tags: [],
  origin: 'own',
  overrides: null,
  overridden_by: null,
  is_active: true,
  problem: null,
  tone: '',
  style: '',
  system_prompt: '',
  traits: [],
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-11-20T10:00:00.000Z',
  ...more,
});
const RIGHTS = { body: { permissions: ['skills.view', 'skills.manage', 'personas.view', 'personas.manage'] } };
const sent = () =>
  script.requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);

async function deleteIt(): Promise<void> {
  await userEvent.click(screen.getByRole('button', { name: 'Delete' }));
  await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' }));
}

function openPersona(removed: { readonly status: number; readonly body?: unknown }) {
  return openConsole(script, `/o/${ORG}/personas/d1`, {
    'GET /api/permissions/me': RIGHTS,
    'GET /api/personas': { body: [] },
    'GET /api/personas/d1': { body: definition({}) },
    'DELETE /api/personas/d1': removed,
  });
}

test('a persona with unsaved changes is deleted before its page is left, which nothing asks about', async () => {
  const { history } = openPersona({ status: 204 });
  fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'Half typed' } });
  await waitFor(() => expect(JSON.stringify(localStorage)).toContain('Half typed'));
  await deleteIt();
  await waitFor(() => expect(history.location.pathname).toBe(`/o/${ORG}/personas`));
  expect(sent()).toContain('DELETE /api/personas/d1');
  expect(screen.queryByText('Leave without saving?')).toBe(null);
  expect(JSON.stringify(localStorage)).not.toContain('Half typed');
});

test('a persona that cannot be deleted stays open, with what was typed', async () => {
  const { history } = openPersona({ status: 409, body: { detail: 'It is in use' } });
  fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'Half typed' } });
  await deleteIt();
  await screen.findByText('It is in use');
  expect(history.location.pathname).toBe(`/o/${ORG}/personas/d1`);
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Half typed');
});

test('a persona that is not there leads to Home, as to try again is of no use', async () => {
  openConsole(script, `/o/${ORG}/personas/d1`, {
    'GET /api/permissions/me': RIGHTS,
    'GET /api/personas': { body: [] },
    'GET /api/personas/d1': { status: 404, body: { detail: 'Persona not found' } },
  });
  const way = await screen.findByRole('link', { name: 'Go to Home' });
  expect(way.getAttribute('href')).toBe('/');
  expect(screen.queryByRole('button', { name: 'Try again' })).toBe(null);
});

test('the description of a persona has its code as code, not with its backticks', async () => {
  openConsole(script, `/o/${ORG}/personas/d1`, {
    'GET /api/permissions/me': RIGHTS,
    'GET /api/personas': { body: [] },
    'GET /api/personas/d1': { body: definition({ description: 'Calls `time_now` first.' }) },
  });
  expect((await screen.findByText('time_now')).localName).toBe('code');
});

const FILE = { path: 'SKILL.md', bytes: 5, content: 'Brief', updated_at: '2026-11-20T10:00:00.000Z' };

async function rename(answers: Parameters<typeof openConsole>[2]): Promise<void> {
  openConsole(script, `/o/${ORG}/skills/d1`, {
    'GET /api/permissions/me': RIGHTS,
    'GET /api/skills': { body: [] },
    'GET /api/skills/d1': { body: definition({}) },
    'GET /api/skills/d1/files': { body: [FILE] },
    'GET /api/skills/d1/files/SKILL.md': { body: FILE },
    ...answers,
  });
  await userEvent.click(await screen.findByRole('button', { name: 'Rename' }));
  const dialog = within(await screen.findByRole('dialog'));
  fireEvent.change(dialog.getByLabelText('Path'), { target: { value: 'NEW.md' } });
  await userEvent.click(dialog.getByRole('button', { name: 'Rename' }));
}

test('a path that is refused is said in the dialog, which keeps it', async () => {
  await rename({ 'PUT /api/skills/d1/files/NEW.md': { status: 403, body: { detail: 'Not here' } } });
  await screen.findByText('Not here');
  expect(within(screen.getByRole('dialog')).getByLabelText<HTMLInputElement>('Path').value).toBe('NEW.md');
});

test('a file that could not be removed after it was written anew is said', async () => {
  await rename({
    'PUT /api/skills/d1/files/NEW.md': { body: { ...FILE, path: 'NEW.md' } },
    'DELETE /api/skills/d1/files/SKILL.md': { status: 403, body: { detail: 'Busy' } },
  });
  await waitFor(() => expect(sent()).toContain('DELETE /api/skills/d1/files/SKILL.md'));
  await screen.findAllByText(/The old file .* is still there: Busy/);
});

const ETAG = '"2026-11-20T10:00:00.000Z"';
const changesOf = (path: string) => script.requests.filter((each) => each.method !== 'GET' && each.path === path);

test('what somebody else has changed of a persona meanwhile is not overwritten unasked', async () => {
  openConsole(script, `/o/${ORG}/personas/d1`, {
    'GET /api/permissions/me': RIGHTS,
    'GET /api/personas': { body: [] },
    'GET /api/personas/d1': { body: definition({ version: '1.0.0' }) },
    'PATCH /api/personas/d1': { status: 412, body: { detail: 'Changed meanwhile' } },
  });
  fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'Mine' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Overwrite with mine' }));
  await waitFor(() => expect(changesOf('/api/personas/d1')).toHaveLength(2));
  expect(changesOf('/api/personas/d1').map(({ headers }) => headers['if-match'])).toEqual([ETAG, undefined]);
});

test('a file is deleted in the version that is shown, and stays when it was written since', async () => {
  openConsole(script, `/o/${ORG}/skills/d1`, {
    'GET /api/permissions/me': RIGHTS,
    'GET /api/skills': { body: [] },
    'GET /api/skills/d1': { body: definition({}) },
    'GET /api/skills/d1/files': { body: [FILE] },
    'GET /api/skills/d1/files/SKILL.md': { body: FILE },
    'DELETE /api/skills/d1/files/SKILL.md': { status: 412, body: { detail: 'Changed meanwhile' } },
  });
  await userEvent.click(await screen.findByRole('button', { name: 'Delete file' }));
  await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete file' }));
  await screen.findAllByText(/Changed meanwhile/);
  expect(changesOf('/api/skills/d1/files/SKILL.md').map(({ headers }) => headers['if-match'])).toEqual([ETAG]);
});

test.each([
  ["---\nname: 'other'\n---\n", 'other is new, with these files.'],
  ['No front matter', /^Its key cannot be read here/],
])('what an archive is before it is imported: %j', async (content, words) => {
  openConsole(script, `/o/${ORG}/skills`, {
    'GET /api/permissions/me': RIGHTS,
    'GET /api/skills': { body: [definition({})] },
  });
  const bytes = zipSync({ 'SKILL.md': strToU8(content) });
  // The files of jsdom cannot be read as bytes.
  const archive = Object.assign(new File([], 'notes.zip'), { arrayBuffer: async () => bytes.slice().buffer });
  Object.defineProperty(archive, 'size', { value: bytes.length });
  fireEvent.change(await screen.findByLabelText('Import ZIP', { selector: 'input' }), {
    target: { files: [archive] },
  });
  await screen.findByText(words);
});
