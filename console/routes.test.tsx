import { describe, expect, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type Answer, serveScript } from '../test/support/console/scripted-api.ts';
import { HOME, openConsole, ORG, SIGNED_IN, USER } from '../test/support/console/opened-console.tsx';

const script = serveScript();

const open = (address: string, answers: Record<string, Answer> = {}) => openConsole(script, address, answers).history;

describe('the pages of the console', () => {
  test('lead strangers to the sign-in, and back to where they wanted to go', async () => {
    const history = open(`/o/${ORG}/agents?q=help`, {
      'POST /api/auth/browser-session/refresh': { status: 401, body: { detail: 'No browser session is open' } },
      'POST /api/auth/browser-session': { body: { ...SIGNED_IN, user: USER } },
      'GET /api/agents': { body: [] },
    });
    await screen.findByRole('heading', { name: 'Sign in' });
    await userEvent.type(screen.getByLabelText('E-mail address'), 'ada@example.com');
    await userEvent.type(screen.getByLabelText('Password'), 'correct horse battery');
    await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));
    await screen.findByRole('heading', { name: 'Agents', level: 1 });
    expect(history.location.href).toBe(`/o/${ORG}/agents?q=help`);
    await waitFor(() => {
      const asked = script.requests.find(({ path }) => path === '/api/agents');
      expect(asked?.headers).toMatchObject({ authorization: 'Bearer a-token', 'x-org-id': ORG });
    });
  });

  test.each([
    ['agents/new', 'Add an agent'],
    ['model-profiles/new', 'Add a profile'],
    ['provider-chains/new', 'Add a chain'],
    ['schedules/new', 'Add a schedule'],
    ['workflows/new', 'Add a workflow'],
  ])('name the one that adds a record, %s, and its button alike: %s', async (page, name) => {
    open(`/o/${ORG}/${page}`);
    await screen.findByRole('heading', { name, level: 1 });
    expect(await screen.findByRole('button', { name })).toBeTruthy();
  });

  test('say that a pair is wrong, and keep what was typed', async () => {
    open('/sign-in', {
      'POST /api/auth/browser-session/refresh': { status: 401, body: { detail: 'No browser session is open' } },
      'POST /api/auth/browser-session': { status: 401, body: { detail: 'wrong' } },
    });
    await userEvent.type(await screen.findByLabelText('E-mail address'), 'ada@example.com');
    await userEvent.type(screen.getByLabelText('Password'), 'wrong');
    await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));
    await screen.findByText('The e-mail address or the password is wrong.');
    expect(screen.getByLabelText<HTMLInputElement>('E-mail address').value).toBe('ada@example.com');
  });

  test('lead the first visitor to an account of their own, since nobody can sign in yet', async () => {
    const history = open('/', {
      'POST /api/auth/browser-session/refresh': { status: 401, body: { detail: 'No browser session is open' } },
      'GET /api/server': {
        body: { version: '1.0.0', registration: 'open', has_accounts: false, needs_setup_token: false },
      },
    });
    await screen.findByRole('heading', { name: 'Create an account' });
    expect(history.location.pathname).toBe('/register');
    expect(screen.queryByRole('link', { name: 'Sign in' })).toBe(null);
  });

  test('say a 422 at its field', async () => {
    open('/register', {
      'POST /api/auth/browser-session/refresh': { status: 401, body: { detail: 'No browser session is open' } },
      'POST /api/auth/register': {
        status: 422,
        body: { detail: [{ type: 'invalid', loc: ['body', 'email'], msg: 'is not an e-mail address' }] },
      },
    });
    await userEvent.type(await screen.findByLabelText('E-mail address'), 'ada@example');
    await userEvent.type(screen.getByLabelText('Password'), 'correct horse battery');
    await userEvent.click(screen.getByRole('button', { name: 'Create an account' }));
    await screen.findByText('is not an e-mail address');
    const field = screen.getByLabelText('E-mail address');
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(document.activeElement).toBe(field);
  });

  test('show in the navigation what the user may see, and no more', async () => {
    open('/');
    await screen.findByRole('heading', { name: 'Hello, Ada' });
    const [navigation] = screen.getAllByRole('navigation', { name: 'Main' });
    await screen.findAllByRole('link', { name: 'Agents' });
    const shown = [...(navigation?.querySelectorAll('a') ?? [])].map(({ textContent }) => textContent);
    expect(shown).toEqual(expect.arrayContaining(['Home', 'Chats', 'Agents']));
    expect(shown).not.toContain('Inbox');
    expect(shown).not.toContain('Providers');
  });

  test('ask for the password over the page when the session has ended, and go on after it', async () => {
    open(`/o/${ORG}`);
    await screen.findByRole('heading', { name: 'Hello, Ada' });
    script.answer({
      ...HOME,
      'GET /api/agents': { status: 401, body: { detail: 'Missing or invalid token' } },
      'POST /api/auth/browser-session/refresh': { status: 401, body: { detail: 'ended' } },
      'POST /api/auth/browser-session': { body: { ...SIGNED_IN, access_token: 'another', user: USER } },
    });
    await userEvent.click((await screen.findAllByRole('link', { name: 'Agents' }))[0] ?? document.body);
    await screen.findByRole('dialog', { name: 'Your session has ended' });
    expect(screen.getByLabelText('E-mail address')).toHaveProperty('value', 'ada@example.com');
    await userEvent.type(screen.getByLabelText('Password'), 'correct horse battery');
    script.answer({
      ...HOME,
      'GET /api/agents': { body: [] },
      'POST /api/auth/browser-session': { body: { ...SIGNED_IN, access_token: 'another', user: USER } },
    });
    await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));
    await screen.findByText('No agents yet');
    expect(screen.queryByRole('dialog')).toBe(null);
  });
});
