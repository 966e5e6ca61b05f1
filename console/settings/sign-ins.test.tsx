import { describe, expect, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { serveScript } from '../../test/support/console/scripted-api.ts';
import type { Session } from './sign-ins-page.tsx';

const script = serveScript();
const SESSIONS = '/api/users/me/sessions';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

const sessionOf = (id: string, more: Partial<Session> = {}): Session => ({
  id,
  is_current: false,
  user_agent: IPHONE,
  ip_address: '203.0.113.7',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: new Date(Date.now() - 7_200_000).toISOString(),
  expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  ...more,
});
const OWN = sessionOf('own', { is_current: true, user_agent: FIREFOX, ip_address: '2001:db8::1' });

function open(sessions: readonly Session[], answers = {}) {
  return openConsole(script, `/o/${ORG}/settings/sign-ins`, {
    [`GET ${SESSIONS}`]: { body: sessions },
    'GET /api/users/me/devices': { body: [] },
    ...answers,
  });
}

const rowOf = async (name: RegExp) => within(await screen.findByRole('row', { name }));

describe('the list of sign-ins', () => {
  test('says of each with what, from where and when it was last used; the own one comes first', async () => {
    open([sessionOf('phone'), OWN]);
    const phone = await rowOf(/^Safari on iOS/);
    expect([phone.getByText('203.0.113.7'), phone.getByText('2 hours ago')]).toHaveLength(2);
    const own = await rowOf(/^Firefox on Linux/);
    expect([own.getByText('2001:db8::1'), own.getByText('this one'), own.getByTitle(FIREFOX)]).toHaveLength(3);
    const headings = screen.getAllByRole('rowheader').map(({ textContent }) => textContent);
    expect(headings[0]).toMatch(/^Firefox on Linux/);
  });

  test('says of an older one that it is not known yet', async () => {
    open([OWN, sessionOf('old', { user_agent: null, ip_address: null })]);
    (await rowOf(/^Unknown/)).getByText('Shown once it is used again');
  });

  test('ends one after asking', async () => {
    const user = userEvent.setup();
    open([OWN, sessionOf('phone')], { [`DELETE ${SESSIONS}/phone`]: { status: 204 } });
    await user.click(await screen.findByRole('button', { name: /^End Safari on iOS, signed in/ }));
    const dialog = within(await screen.findByRole('dialog'));
    dialog.getByText(/^Safari on iOS: whoever uses it/);
    await user.click(dialog.getByRole('button', { name: 'End' }));
    await screen.findByText('The sign-in was ended');
  });
});

describe('the end of all others', () => {
  test('is off, and says why, when there are none', async () => {
    const user = userEvent.setup();
    open([OWN]);
    const button = await screen.findByRole('button', { name: 'End all others' });
    expect([button.getAttribute('aria-disabled'), button.title]).toEqual(['true', 'You are signed in nowhere else.']);
    await user.click(button);
    expect(screen.queryByRole('dialog')).toBe(null);
  });

  test('is asked for, done in one request, and the list is read again', async () => {
    const user = userEvent.setup();
    let listed = [OWN, sessionOf('phone'), sessionOf('office', { user_agent: CHROME })];
    open([], {
      [`GET ${SESSIONS}`]: () => ({ body: listed }),
      [`DELETE ${SESSIONS}`]: () => {
        listed = [OWN];
        return { status: 204 };
      },
    });
    await rowOf(/^Chrome on Windows/);
    await user.click(screen.getByRole('button', { name: 'End all others' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'End all other sign-ins?' }));
    expect(script.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
    await user.click(dialog.getByRole('button', { name: 'End all others' }));
    await screen.findByText('All other sign-ins were ended');
    await waitFor(() => expect(screen.getAllByRole('rowheader')).toHaveLength(1));
    expect(script.requests.filter(({ method }) => method === 'DELETE').map(({ path }) => path)).toEqual([SESSIONS]);
  });

  test('says in the dialog why it failed, and ends nothing', async () => {
    const user = userEvent.setup();
    open([OWN, sessionOf('phone')], {
      [`DELETE ${SESSIONS}`]: { status: 503, body: { detail: 'The database is away' } },
    });
    await user.click(await screen.findByRole('button', { name: 'End all others' }));
    const dialog = within(await screen.findByRole('dialog'));
    await user.click(dialog.getByRole('button', { name: 'End all others' }));
    await dialog.findByText('The database is away');
    expect(screen.getAllByRole('rowheader', { hidden: true })).toHaveLength(2);
  });
});
