import { expect, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { openConsole, ORG } from '../../test/support/console/opened-console.tsx';
import { serveScript } from '../../test/support/console/scripted-api.ts';

const script = serveScript();

const org = {
  id: ORG,
  name: 'Analytical',
  icon: '',
  color: '',
  role: 'admin',
  approvals_other_person: false,
  approvals_sign_in: false,
  approvals_quorum: 1,
  approvals_reminder_minutes: 60,
  approvals_escalation_minutes: null,
  approvals_escalation_role: 'admin',
  approvals_escalation_user_id: null,
};
const changed = () => script.requests.find(({ method }) => method === 'PATCH')?.body;

test('an admin has another person approve what agents do in the name of somebody', async () => {
  openConsole(script, `/o/${ORG}/settings/organization`, {
    [`GET /api/orgs/${ORG}`]: { body: org },
    [`PATCH /api/orgs/${ORG}`]: { body: { ...org, approvals_other_person: true } },
  });
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Another person must approve' }));
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(changed()).toBe('{"approvals_other_person":true}'));
});

test('an admin has nobody reminded any more of what waits', async () => {
  openConsole(script, `/o/${ORG}/settings/organization`, {
    [`GET /api/orgs/${ORG}`]: { body: org },
    [`PATCH /api/orgs/${ORG}`]: { body: { ...org, approvals_reminder_minutes: null } },
  });
  await userEvent.clear(await screen.findByRole('textbox', { name: 'Remind after' }));
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(changed()).toBe('{"approvals_reminder_minutes":null}'));
});

test('an admin has escalated to a member what nobody has decided about', async () => {
  const member = { user_id: 'grace', full_name: 'Grace', email: 'grace@example.org', role: 'member' };
  openConsole(script, `/o/${ORG}/settings/organization`, {
    [`GET /api/orgs/${ORG}`]: { body: org },
    [`GET /api/orgs/${ORG}/members`]: {
      body: [member, { ...member, user_id: 'vera', full_name: 'Vera', role: 'viewer' }],
    },
    [`PATCH /api/orgs/${ORG}`]: { body: org },
  });
  await userEvent.type(await screen.findByRole('textbox', { name: 'Escalate after' }), '90');
  const field = screen.getByRole('combobox', { name: 'Or to this member' });
  await userEvent.click(field);
  await screen.findByRole('option', { name: 'Grace' });
  expect(screen.queryByRole('option', { name: 'Vera' })).toBe(null);
  await userEvent.click(screen.getByRole('option', { name: 'Grace' }));
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(changed()).toBe('{"approvals_escalation_minutes":90,"approvals_escalation_user_id":"grace"}'),
  );
});
