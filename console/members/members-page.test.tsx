import { describe, expect, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { serveScript } from '../../test/support/console/scripted-api.ts';
import type { Member, Role } from './queries.ts';

const script = serveScript();

const memberOf = (id: string, role: Role, more: Partial<Member> = {}): Member => ({
  user_id: id,
  email: `${id}@example.com`,
  full_name: '',
  role,
  is_managed: false,
  joined_at: '2026-01-01T00:00:00.000Z',
  ...more,
});
const MEMBERS = [
  memberOf('ada', 'member'),
  memberOf('grace', 'admin'),
  memberOf('kay', 'member', { is_managed: true }),
];
const MEMBERS_OF = `/api/orgs/${ORG}/members`;

function open(address: string, role: Role, answers = {}) {
  const members = MEMBERS.map((member) => (member.user_id === 'ada' ? { ...member, role } : member));
  return openConsole(script, `/o/${ORG}/${address}`, {
    'GET /api/permissions/me': { body: { role, permissions: ['ui.advanced_mode'], usage: { budgets: [] } } },
    [`GET ${MEMBERS_OF}`]: { body: members, headers: { 'x-total-count': '3' } },
    [`GET /api/orgs/${ORG}/invites`]: { body: [] },
    [`GET ${MEMBERS_OF}/kay/devices`]: { body: [] },
    [`GET ${MEMBERS_OF}/grace/devices`]: { body: [] },
    ...answers,
  });
}

const button = async (name: string) => screen.findByRole('button', { name });
/** Waits until a button can be used: the rights are known only then. */
async function usable(name: string) {
  const found = await button(name);
  await waitFor(() => expect(found.getAttribute('aria-disabled')).toBe(null));
  return found;
}

describe('the list', () => {
  test('is there for everybody; whoever may not invite is told why, and asks for no invites', async () => {
    open('members', 'member');
    await screen.findByRole('rowheader', { name: /grace@example.com/ });
    const invite = await button('Invite people');
    expect([invite.getAttribute('aria-disabled'), invite.title]).toEqual([
      'true',
      'Only admins and the owner may do this.',
    ]);
    expect(script.requests.map(({ path }) => path)).not.toContain(`/api/orgs/${ORG}/invites`);
  });

  test('offers an admin no role that only the owner grants, and keeps what was typed when the invite is refused', async () => {
    const user = userEvent.setup();
    const refusal = { status: 409, body: { detail: 'There are 500 open invites' } };
    open('members', 'admin', { [`POST /api/orgs/${ORG}/invites`]: refusal });
    await user.click(await usable('Invite people'));
    const dialog = within(await screen.findByRole('dialog'));
    expect(dialog.getByRole<HTMLInputElement>('radio', { name: /^Admin/ }).disabled).toBe(true);
    await user.type(dialog.getByLabelText('E-mail address'), 'new@example.com');
    await user.click(dialog.getByRole('button', { name: 'Create invite' }));
    await dialog.findByText('There are 500 open invites');
    expect(dialog.getByLabelText<HTMLInputElement>('E-mail address').value).toBe('new@example.com');
  });
});

describe('the page of a member', () => {
  test('says to an admin what only the owner may do with another admin', async () => {
    open('members/grace', 'admin');
    const remove = await button('Remove');
    expect([remove.getAttribute('aria-disabled'), remove.title]).toEqual([
      'true',
      'Only the owner may do this for or with admins.',
    ]);
    expect((await button('Make a password link')).title).toMatch(/does not manage it/);
    expect(screen.queryByRole('button', { name: 'Hand the organization over' })).toBe(null);
  });

  test('says why a password link was refused', async () => {
    const user = userEvent.setup();
    const refusal = { status: 429, body: { detail: 'Too many links' } };
    open('members/kay', 'admin', { [`POST ${MEMBERS_OF}/kay/password-link`]: refusal });
    await user.click(await usable('Make a password link'));
    await screen.findAllByText('Too many links');
  });

  test('says what stops before somebody is removed', async () => {
    const user = userEvent.setup();
    const { history } = open('members/kay', 'admin', { [`DELETE ${MEMBERS_OF}/kay`]: { status: 204 } });
    await user.click(await usable('Remove'));
    const dialog = within(await screen.findByRole('dialog', { name: /^Remove kay/ }));
    dialog.getByText(/stop working at once/);
    await user.click(dialog.getByRole('button', { name: 'Remove' }));
    await waitFor(() => expect(history.location.pathname).toBe(`/o/${ORG}/members`));
  });

  test('of oneself asks before one steps down, and leads to the settings', async () => {
    const user = userEvent.setup();
    open('members/ada', 'admin', { [`PATCH ${MEMBERS_OF}/ada`]: { body: memberOf('ada', 'viewer') } });
    await screen.findByRole('link', { name: 'Open your settings' });
    await user.click(screen.getByRole('radio', { name: /^Viewer/ }));
    await user.click(await usable('Change the role'));
    expect(script.requests.filter(({ method }) => method === 'PATCH')).toEqual([]);
    await user.click(await button('Step down'));
    await waitFor(() =>
      expect(script.requests.filter(({ method }) => method === 'PATCH').map(({ body }) => body)).toEqual([
        '{"role":"viewer"}',
      ]),
    );
  });

  test('says when there is no such member any more', async () => {
    open('members/gone', 'owner');
    await screen.findByText('This person is no longer a member of the organization.');
  });
});
