import { beforeEach, describe, expect, test } from '@jest/globals';
import { act, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { HOME, openConsole, ORG, REFRESH, SIGNED_IN, USER } from '../../test/support/console/opened-console.tsx';
import { type Answer, serveScript } from '../../test/support/console/scripted-api.ts';

const script = serveScript();
const SAVE = 'PATCH /api/users/me';
beforeEach(() => localStorage.clear());

const field = () => screen.getByLabelText<HTMLInputElement>('Your name');
/** The button of the form with the name; those of other sections follow. */
const save = () => screen.getAllByRole('button', { name: 'Save' })[0] ?? document.body;
const saved = () => script.requests.filter(({ method, path }) => `${method} ${path}` === SAVE);

/** Opens a form, changes a text in it and sends that. */
async function saveInto(answer: Answer) {
  const opened = openConsole(script, `/o/${ORG}/settings`, { [SAVE]: answer });
  await screen.findByLabelText('Your name');
  const user = userEvent.setup();
  await user.clear(field());
  await user.type(field(), 'Ada King{Enter}');
  return { ...opened, user };
}
const problem = (status: number, detail: unknown, headers = {}): Answer => ({ status, headers, body: { detail } });

describe('a form that is sent', () => {
  test.each([
    [403, 'Your groups do not let you change this'],
    [404, 'User not found'],
    [409, 'The name is taken'],
    [412, 'Somebody else has changed this in the meantime.'],
    [500, 'Something broke'],
    [503, 'The database is away'],
  ])('says a %d above its button, and keeps what was typed', async (status, words) => {
    await saveInto(problem(status, words));
    await screen.findByText(words);
    expect([field().value, screen.getByText(words).closest('[role=alert]') !== null]).toEqual(['Ada King', true]);
  });

  test('says a 422 at its field, which gets the focus', async () => {
    await saveInto(problem(422, [{ type: 'too_big', loc: ['body', 'full_name'], msg: 'is too long' }]));
    await screen.findByText('is too long');
    expect([field().value, document.activeElement, field().getAttribute('aria-invalid')]).toEqual([
      'Ada King',
      field(),
      'true',
    ]);
  });

  test('counts the wait of a 429 down and is sent again by itself', async () => {
    await saveInto(problem(429, 'Too many requests', { 'retry-after': '2' }));
    await screen.findByText('Sending again automatically in 2 s.');
    await screen.findByText('Sending again automatically in 1 s.');
    script.answer({ ...HOME, [SAVE]: { body: { ...USER, full_name: 'Ada King' } } });
    await screen.findByText('Saved');
    expect(saved().map(({ body }) => body)).toEqual(['{"full_name":"Ada King"}', '{"full_name":"Ada King"}']);
    expect(screen.queryByText(/^Sending again/)).toBe(null);
  });

  test('says that the server cannot be reached, and keeps what was typed for another try', async () => {
    const real = globalThis.fetch;
    const { user } = await saveInto(problem(500, 'first'));
    await screen.findByText('first');
    globalThis.fetch = async () => Promise.reject(new TypeError('Failed to fetch'));
    await user.click(save());
    await screen.findByText('The server cannot be reached');
    globalThis.fetch = real;
    script.answer({ ...HOME, [SAVE]: { body: { ...USER, full_name: 'Ada King' } } });
    await user.click(save());
    await screen.findByText('Saved');
  });

  test('asks for the password when the session has ended while one typed, and is then sent with all of it', async () => {
    openConsole(script, `/o/${ORG}/settings`);
    await screen.findByLabelText('Your name');
    const user = userEvent.setup();
    await user.clear(field());
    await user.type(field(), 'Ada King');
    const ended = { status: 401, body: { detail: 'ended' } };
    script.answer({ ...HOME, [SAVE]: ended, [REFRESH]: ended });
    await user.keyboard('{Enter}');
    await screen.findByRole('dialog', { name: 'Your session has ended' });
    expect(field().value).toBe('Ada King');
    script.answer({
      ...HOME,
      'POST /api/auth/browser-session': { body: { ...SIGNED_IN, access_token: 'another', user: USER } },
      [SAVE]: { body: { ...USER, full_name: 'Ada King' } },
    });
    await user.type(screen.getByLabelText('Password', { selector: '[role=dialog] input' }), 'correct horse');
    await user.click(screen.getByRole('button', { name: 'Sign in' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBe(null));
    expect(field().value).toBe('Ada King');
    await user.click(save());
    await screen.findByText('Saved');
    expect(saved().at(-1)?.headers.authorization).toBe('Bearer another');
  });
});

describe('a list that is read', () => {
  const RIGHTS = { 'GET /api/permissions/me': { body: { permissions: ['projects.view', 'ui.advanced_mode'] } } };
  const [time, none] = ['2026-01-01T00:00:00Z', ''];
  const project = { id: 'one', name: 'House', description: none, repo_url: none, agent_ids: [], updated_at: time };
  const PROJECTS = 'GET /api/projects';
  const openProjects = (answer: Answer) => openConsole(script, `/o/${ORG}/projects`, { ...RIGHTS, [PROJECTS]: answer });

  test('goes when the right to see it is taken away, and says so', async () => {
    const { cache } = openProjects({ body: [project] });
    await screen.findByText('House');
    script.answer({ ...HOME, ...RIGHTS, [PROJECTS]: problem(403, 'Missing permission: projects.view') });
    await act(async () => cache.invalidateQueries({ queryKey: [ORG, 'projects'] }));
    await screen.findByText('Missing permission: projects.view');
    expect(screen.getByText('You do not have the permission for this.')).toBeTruthy();
    expect(screen.queryByText('House')).toBe(null);
  });

  test('stays in sight through a passing fault', async () => {
    const { cache } = openProjects({ body: [project] });
    await screen.findByText('House');
    script.answer({ ...HOME, ...RIGHTS, [PROJECTS]: problem(503, 'away') });
    void cache.invalidateQueries({ queryKey: [ORG, 'projects'] });
    await screen.findByText('The server cannot be reached. Trying again.');
    expect(screen.getByText('House')).toBeTruthy();
  });

  test('counts the wait of a 429 down and goes on by itself', async () => {
    openProjects(problem(429, 'Too many requests', { 'retry-after': '2' }));
    await screen.findByText(/Loading again in \d s\.$/);
    script.answer({ ...HOME, ...RIGHTS, [PROJECTS]: { body: [project] } });
    await screen.findByText('House');
  });
});
