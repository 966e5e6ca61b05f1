import { expect, test } from '@jest/globals';
import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { type Answer, serveScript } from '../../test/support/console/scripted-api.ts';
import { openConsole, REFRESH, USER } from '../../test/support/console/opened-console.tsx';

const script = serveScript();
const STRANGER = { [REFRESH]: { status: 401, body: { detail: 'No browser session is open' } } };
const MADE = { 'POST /api/auth/register': { status: 201, body: { access_token: 'a-programs' } } };

async function register(answers: Record<string, Answer>) {
  const { history } = openConsole(script, '/register', { ...STRANGER, ...MADE, ...answers });
  await userEvent.type(await screen.findByLabelText('E-mail address'), 'ada@example.com');
  await userEvent.type(screen.getByLabelText('Password'), 'correct horse battery');
  await userEvent.click(screen.getByRole('button', { name: 'Create an account' }));
  return history;
}

test('an account that could not be signed in leads to the sign-in', async () => {
  const history = await register({ 'POST /api/auth/browser-session': { status: 503, body: { detail: 'away' } } });
  expect((await screen.findAllByText('Your account was made. Sign in with it.')).length).toBeGreaterThan(0);
  await screen.findByRole('heading', { name: 'Sign in' });
  expect(history.location.pathname).toBe('/sign-in');
});

test('an account goes on when the session for programs could not be ended', async () => {
  const history = await register({
    'POST /api/auth/logout': { status: 503, body: { detail: 'away' } },
    'POST /api/auth/browser-session': { body: { access_token: 'a-token', expires_in: 3600, user: USER } },
  });
  await screen.findByRole('heading', { name: 'Choose a model' });
  expect(history.location.pathname).toBe('/welcome');
});
