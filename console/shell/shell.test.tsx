import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { act, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { serveScript } from '../../test/support/console/scripted-api.ts';
import { draftsOf } from '../core/drafts.ts';
import { Problem } from '../core/http/problem.ts';
import { Session } from '../core/session/session.ts';
import { HOME, openConsole, ORG, REFRESH, USER } from '../../test/support/console/opened-console.tsx';
import { ConnectionBanner } from './shell.tsx';
import { ErrorPage } from './error-page.tsx';

const AWAY = { status: 503, body: { detail: 'away' } };
const SIGN_OUT = 'DELETE /api/auth/browser-session';
const script = serveScript();

beforeEach(() => localStorage.clear());
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

async function openHome(answers = {}) {
  const opened = openConsole(script, `/o/${ORG}`, answers);
  await screen.findByRole('heading', { name: 'Hello, Ada' });
  return opened;
}

describe('signing out', () => {
  test.each(['the menu', 'the palette'])('by %s says when the server could not be told', async (way) => {
    const user = userEvent.setup();
    const { history } = await openHome({ [SIGN_OUT]: AWAY });
    if (way === 'the menu') await user.click(screen.getByRole('button', { name: /^Account: / }));
    else await user.keyboard('{Control>}k{/Control}');
    await user.click(await screen.findByText('Sign out'));
    expect((await screen.findAllByText(/^Signed out here\. The server could not be reached/)).length).toBeGreaterThan(
      0,
    );
    await screen.findByRole('heading', { name: 'Sign in' });
    expect(history.location.pathname).toBe('/sign-in');
  });

  test('forgets what was read, typed and held, also where there is no organization yet', async () => {
    draftsOf('ada').write('chat.new', 'secret plans');
    sessionStorage.setItem('everturn.invite', 'et_inv_held');
    const { history, cache } = openConsole(script, '/', {
      'GET /api/users/me': { body: { ...USER, active_org_id: null, orgs: [] } },
      [SIGN_OUT]: { status: 204 },
    });
    await userEvent.click(await screen.findByRole('button', { name: 'Sign out' }));
    await screen.findByRole('heading', { name: 'Sign in' });
    expect([history.location.pathname, Object.keys(localStorage), Object.keys(sessionStorage)]).toEqual([
      '/sign-in',
      [],
      [],
    ]);
    expect(cache.getQueryData(['users', 'me'])).toBe(undefined);
  });
});

describe('another person', () => {
  const theirs = '019aa4c7-5d10-7cf3-9a5e-3f1f6c0b8d99';
  const BOBS = {
    'POST /api/auth/browser-session': { body: { access_token: 'bobs', expires_in: 3600, user: { id: 'bob' } } },
    'GET /api/users/me': {
      body: { ...USER, id: 'bob', full_name: 'Bob', active_org_id: theirs, orgs: [{ id: theirs, name: 'Theirs' }] },
    },
  };

  async function expectBobsHome({ history }: Awaited<ReturnType<typeof openHome>>) {
    await screen.findByRole('heading', { name: 'Hello, Bob' });
    expect(history.location.pathname).toBe(`/o/${theirs}`);
    expect(draftsOf('ada').read('chat.new')).toBe('');
  }

  test('who signs in in another tab gets nothing of the one before', async () => {
    const opened = await openHome();
    draftsOf('ada').write('chat.new', 'secret plans');
    script.answer({ ...HOME, ...BOBS });
    const bob = new Session();
    await act(async () => bob.signIn('bob@example.com', 'a password'));
    bob.close();
    await expectBobsHome(opened);
  });

  test('who signs in over the page of an ended session leaves it', async () => {
    const opened = await openHome();
    draftsOf('ada').write('chat.new', 'secret plans');
    script.answer({ ...HOME, ...BOBS, [REFRESH]: { status: 401, body: { detail: 'ended' } } });
    await act(async () => opened.session.accessToken('a-token'));
    await screen.findByRole('dialog', { name: 'Your session has ended' });
    const email = screen.getByLabelText('E-mail address');
    expect(email).toHaveProperty('value', 'ada@example.com');
    await userEvent.clear(email);
    await userEvent.type(email, 'bob@example.com');
    await userEvent.type(screen.getByLabelText('Password'), 'a password');
    await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));
    await expectBobsHome(opened);
  });
});

/** Keeps what React and the router say of errors, which are meant here, out of the output. */
function expectErrors() {
  for (const name of ['error', 'warn'] as const) jest.spyOn(console, name).mockImplementation(() => undefined);
}

test('a page that could not be loaded is loaded again by "Try again"', async () => {
  expectErrors();
  Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true });
  openConsole(script, '/', { 'GET /api/users/me': { status: 400, body: { detail: 'odd' } } });
  await screen.findByRole('heading', { name: 'Something went wrong' });
  // A page without a clipboard shows what else would be copied.
  expect([screen.queryByRole('button', { name: 'Copy' }), document.querySelector('details')?.open]).toEqual([
    null,
    true,
  ]);
  script.answer(HOME);
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByRole('heading', { name: 'Hello, Ada' });
});

test.each([
  [404, 'Everturn was updated', /^This page is from an earlier version\./],
  [503, 'The server cannot be reached', /^This page could not be loaded\./],
])('a page whose style sheet is answered with %d says: %s', async (status, title, words) => {
  expectErrors();
  script.answer({ 'GET /assets/chats-1234.css': { status, body: {} } });
  const error = new Error('Unable to preload CSS for /assets/chats-1234.css');
  const root = createRootRoute({
    loader: () => Promise.reject(error),
    errorComponent: ErrorPage,
  });
  const history = createMemoryHistory({ initialEntries: ['/'] });
  render(<RouterProvider router={createRouter({ routeTree: root, history }) as never} />);
  await screen.findByRole('heading', { name: title });
  expect(screen.getByText(words)).toBeTruthy();
});

test('a phone leads to every page from its menu of others', async () => {
  const { history } = await openHome();
  await userEvent.click(screen.getByRole('button', { name: 'More' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Trash' }));
  await screen.findByRole('heading', { level: 1, name: 'Trash' });
  expect(history.location.pathname).toBe(`/o/${ORG}/trash`);
});

test('no page of the navigation is moved once the rights are known', async () => {
  const rights = Promise.withResolvers<{ body: unknown }>();
  openConsole(script, `/o/${ORG}/search`, { 'GET /api/permissions/me': async () => rights.promise });
  const main = await screen.findAllByRole('navigation', { name: 'Main' });
  const pages = () =>
    within(main[0] ?? document.body)
      .getAllByRole('link')
      .map(({ textContent }) => textContent);
  const known = pages();
  rights.resolve({ body: { permissions: ['approvals.view', 'agents.view', 'ui.advanced_mode'] } });
  await waitFor(() => expect(pages()).toContain('Agents'));
  expect(pages().slice(0, known.length)).toEqual(known);
});

test('names are shown with the characters in them that cannot be seen', async () => {
  const orgs = [{ id: ORG, name: 'Ana\u202Elytical' }];
  await openHome({ 'GET /api/users/me': { body: { ...USER, orgs } } });
  await screen.findByRole('button', { name: 'Switch organization: Ana⟨U+202E⟩lytical' });
});

describe('the banner of the connection', () => {
  function Reader({ read }: { readonly read: () => Promise<string> }) {
    return useQuery({ queryKey: ['read'], queryFn: read, retry: false }).data ?? 'nothing';
  }
  const banner = () => document.querySelector('output')?.textContent;
  const away = async () => Promise.reject(new Problem(503, 'away'));

  test('asks again for what the page shows, and goes away once that is answered', async () => {
    jest.useFakeTimers();
    const read = jest.fn<() => Promise<string>>().mockImplementationOnce(away).mockResolvedValue('text');
    render(
      <QueryClientProvider client={new QueryClient()}>
        <ConnectionBanner />
        <Reader read={read} />
      </QueryClientProvider>,
    );
    await waitFor(() => expect(banner()).toBe('The server cannot be reached. Trying again.'));
    await act(async () => jest.advanceTimersByTimeAsync(5_000));
    await waitFor(() => expect([banner(), read.mock.calls.length]).toEqual(['', 2]));
  });

  test('says nothing of what another page has asked for', async () => {
    const client = new QueryClient();
    const page = (isShown: boolean) => (
      <QueryClientProvider client={client}>
        <ConnectionBanner />
        {isShown && <Reader read={away} />}
      </QueryClientProvider>
    );
    const { rerender } = render(page(true));
    await waitFor(() => expect(banner()).not.toBe(''));
    rerender(page(false));
    await waitFor(() => expect(banner()).toBe(''));
  });
});
