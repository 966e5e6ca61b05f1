import { afterEach, describe, expect, test } from '@jest/globals';
import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { type Answers, serveScript } from '../../test/support/console/scripted-api.ts';
import { openConsole, REFRESH, USER } from '../../test/support/console/opened-console.tsx';

const script = serveScript();
const STRANGER = { [REFRESH]: { status: 401, body: { detail: 'No browser session is open' } } };
const MADE = { 'POST /api/auth/register': { status: 201, body: { access_token: 'a-programs' } } };

async function register(answers: Answers) {
  const { history } = openConsole(script, '/register', { ...STRANGER, ...MADE, ...answers });
  await userEvent.type(await screen.findByLabelText('E-mail address'), 'ada@example.com');
  await userEvent.type(screen.getByLabelText('Password'), 'correct horse battery');
  await userEvent.click(screen.getByRole('button', { name: 'Create an account' }));
  return history;
}

const sentBody = () =>
  JSON.parse(script.requests.find(({ path }) => path === '/api/auth/register')?.body ?? '') as unknown;
const SIGNED_IN_NOW = {
  'POST /api/auth/browser-session': { body: { access_token: 'a-token', expires_in: 3600, user: USER } },
};

test('an account needs no name', async () => {
  await register(SIGNED_IN_NOW);
  await screen.findByRole('heading', { name: 'Choose a model' });
  expect(sentBody()).toEqual({ email: 'ada@example.com', password: 'correct horse battery' });
});

describe('the first account of a server that is not open', () => {
  const EMPTY = {
    'GET /api/server': {
      body: { version: '1.0.0', registration: 'closed', has_accounts: false, needs_setup_token: true },
    },
  };
  const openLink = () => window.history.replaceState(null, '', '/register?setup_token=et_setup_linked');
  afterEach(() => window.history.replaceState(null, '', '/'));

  test('is asked for at every address, with where its token is, and says that a token is wrong', async () => {
    const detail = 'The setup token is wrong: copy it again from the log of the api';
    const { history } = openConsole(script, '/', {
      ...STRANGER,
      ...EMPTY,
      'POST /api/auth/register': { status: 403, body: { detail } },
    });
    await screen.findByRole('heading', { name: 'Set up Everturn' });
    expect(history.location.pathname).toBe('/register');
    screen.getByText('docker compose logs api | grep setup_token');
    await userEvent.type(screen.getByLabelText('Setup token'), ' et_setup_typed ');
    await userEvent.type(screen.getByLabelText('E-mail address'), 'ada@example.com');
    await userEvent.type(screen.getByLabelText('Password'), 'correct horse battery');
    await userEvent.click(screen.getByRole('button', { name: 'Create an account' }));
    await screen.findByText(detail);
    expect(sentBody()).toMatchObject({ setup_token: 'et_setup_typed' });
  });

  test('takes the token of the link, which leaves the address, and goes on to the first steps', async () => {
    openLink();
    await register({ ...EMPTY, ...SIGNED_IN_NOW });
    await screen.findByRole('heading', { name: 'Choose a model' });
    expect(sentBody()).toMatchObject({ setup_token: 'et_setup_linked' });
    expect(window.location.search).toBe('');
  });

  test('leads to the sign-in when it could not be signed in', async () => {
    openLink();
    let isMade = false;
    const history = await register({
      'GET /api/server': () => ({
        body: { ...EMPTY['GET /api/server'].body, has_accounts: isMade, needs_setup_token: !isMade },
      }),
      'POST /api/auth/register': () => {
        isMade = true;
        return MADE['POST /api/auth/register'];
      },
      'POST /api/auth/browser-session': { status: 503, body: { detail: 'away' } },
    });
    await screen.findByRole('heading', { name: 'Sign in' });
    expect(history.location.pathname).toBe('/sign-in');
  });
});

test('an account that could not be signed in leads to the sign-in', async () => {
  const history = await register({ 'POST /api/auth/browser-session': { status: 503, body: { detail: 'away' } } });
  expect((await screen.findAllByText('Your account was created. Sign in with it.')).length).toBeGreaterThan(0);
  await screen.findByRole('heading', { name: 'Sign in' });
  expect(history.location.pathname).toBe('/sign-in');
});

test('an account goes on when the session for programs could not be ended', async () => {
  const history = await register({
    'POST /api/auth/logout': { status: 503, body: { detail: 'away' } },
    ...SIGNED_IN_NOW,
  });
  await screen.findByRole('heading', { name: 'Choose a model' });
  expect(history.location.pathname).toBe('/welcome');
});
