import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createAgent, createChat, registerUser, type TestUser } from '../support/factories.ts';
import { join } from '../support/invitations.ts';
import { registerManaged } from '../support/people.ts';
import { brokenRules, describeConsole, takeShot } from '../support/console/browsed-console.ts';

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

async function signIn(
  page: Page,
  url: string,
  { email, password }: Pick<TestUser, 'email' | 'password'>,
  path: string,
) {
  await page.goto(url + path);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await heading(page, 'Sign in').waitFor({ state: 'detached' });
}

interface TestGroup {
  readonly id: string;
  readonly permissions: string[];
  readonly limits: Record<string, number>;
  readonly capabilities: { readonly agent_ids: string[] };
}

/** Looks at a page as it is: what it breaks, and a picture for people. */
async function shoot(page: Page, name: string): Promise<void> {
  await takeShot(page, name);
  // At its end nothing is half below the bar that stays in sight: that would count as a target that is too small.
  await page.locator('main').evaluate((main) => (main.scrollTop = main.scrollHeight));
  expect([name, await brokenRules(page)]).toEqual([name, []]);
}

/** Opens a password link as its receiver, and signs in with the password that it has set. */
async function setPassword(page: Page, link: string, email: string): Promise<void> {
  const password = 'quite another password';
  await page.goto(link);
  await heading(page, 'Set your password').waitFor();
  expect(page.url()).not.toContain('token');
  await shoot(page, 'set-password');
  await page.getByLabel('New password').fill('short');
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByText('must have at least 8 characters').waitFor();
  await page.getByLabel('New password').fill(password);
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByText('Your password was set').waitFor();
  await page.goto(link);
  await page.getByLabel('New password').fill(password);
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByText('This link is not valid').waitFor();
  await signIn(page, new URL(link).origin, { email, password }, '/sign-in');
  await heading(page, /^Hello/).waitFor();
  await page.context().close();
}

describeConsole('the pages of an organization in a browser', (served) => {
  test('lead from an invite to a member, whose role changes and who is removed', async () => {
    const owner = await registerUser(served.url, { full_name: 'Ada Lovelace' });
    const member = await registerManaged(served.api, owner, 'member');
    const page = await served.open({ width: 1440, height: 900 });
    await signIn(page, served.url, owner, `/o/${owner.orgId}/members`);
    await page.getByRole('rowheader', { name: member.email }).waitFor();
    await page.getByRole('button', { name: 'Invite people' }).click();
    await page.getByLabel('E-mail address').fill('grace@example.com');
    await shoot(page, 'members-invite');
    await page.getByRole('button', { name: 'Create invite' }).click();
    const link = await page.getByText(/\/join\?token=et_inv/).textContent();
    await shoot(page, 'members-invite-link');
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('rowheader', { name: 'grace@example.com' }).waitFor();
    const token = new URL(link ?? '').searchParams.get('token') ?? '';
    expect(token).toMatch(/^et_inv/);
    expect(await page.content()).not.toContain(token);
    await shoot(page, 'members');
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No open invites.').waitFor();

    await page.getByRole('link', { name: member.email }).click();
    await heading(page, member.email).waitFor();
    await page.getByText('No device is signed in.').waitFor();
    await shoot(page, 'member');
    await page.getByRole('radio', { name: /^Viewer/ }).check();
    await page.getByRole('button', { name: 'Change the role' }).click();
    await page.getByText('has the role Viewer now').waitFor();
    await page.getByRole('button', { name: 'Make a password link' }).click();
    const path = await page.getByText(/\/set-password\?token=et_pwd/).textContent();
    await shoot(page, 'member-password-link');
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText(/\/set-password\?token=et_pwd/).waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(new URL(path ?? '').searchParams.get('token'));
    await setPassword(await served.open(), path ?? '', member.email);
    await page.getByRole('button', { name: 'Remove' }).click();
    await shoot(page, 'member-remove');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await heading(page, 'Members').waitFor();
    await page.getByRole('rowheader', { name: member.email }).waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('hand the organization over once its name was typed', async () => {
    const owner = await registerUser(served.url);
    const heir = await join(owner, 'admin');
    const page = await served.open();
    await signIn(page, served.url, owner, `/o/${owner.orgId}/members/${heir.id}`);
    await page.getByRole('button', { name: 'Hand the organization over' }).click();
    const dialog = page.getByRole('dialog');
    const name = (await owner.client.get<{ name: string }>(`/api/orgs/${owner.orgId}`)).json.name;
    await dialog.getByRole('textbox').fill('another name');
    const act = dialog.getByRole('button', { name: 'Hand the organization over' });
    expect(await act.getAttribute('aria-disabled')).toBe('true');
    await dialog.getByRole('textbox').fill(name);
    await act.click();
    await page.getByText('is the owner now').waitFor();
    const members = await owner.client.get<{ user_id: string; role: string }[]>(`/api/orgs/${owner.orgId}/members`);
    const roles = Object.fromEntries(members.json.map(({ user_id: id, role }) => [id, role]));
    expect(roles).toEqual({ [owner.id]: 'admin', [heir.id]: 'owner' });
    await page.context().close();
  });

  test('change who one is, end a sign-in, and make a key that is nowhere in the page afterwards', async () => {
    const user = await registerUser(served.url);
    const page = await served.open({ width: 1440, height: 900 });
    await signIn(page, served.url, user, `/o/${user.orgId}/settings`);
    await page.getByLabel('Your name').fill('Grace Hopper');
    await page.getByRole('button', { name: 'Save', description: 'Ctrl S' }).click();
    await page.getByText('Saved', { exact: true }).first().waitFor();
    await page.getByLabel('New password').fill('short');
    await page.getByLabel('Current password').last().fill(user.password);
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('must have at least 8 characters').waitFor();
    await shoot(page, 'settings-profile');
    await page.getByLabel('New password').fill('a much better password');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('Your password was set').waitFor();
    expect(await page.getByLabel('New password').inputValue()).toBe('');

    await page.getByRole('link', { name: 'Sign-ins' }).click();
    await page.getByRole('rowheader', { name: /^Chrome on Linux this one/ }).waitFor();
    expect(await page.getByRole('button', { name: 'End all others' }).getAttribute('aria-disabled')).toBe('true');
    const { email } = user;
    const again = { email, password: 'a much better password' };
    expect((await user.client.as(undefined).post('/api/auth/login', again)).status).toBe(200);
    await page.reload();
    await page.getByRole('rowheader', { name: /^node/ }).waitFor();
    await shoot(page, 'settings-sign-ins');
    await page.getByRole('button', { name: 'End all others' }).click();
    await shoot(page, 'settings-sign-ins-end-others');
    await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click();
    await page.getByRole('rowheader', { name: /^node/ }).waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Nightly report');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const value = (await page.getByText(/^et_key/).textContent()) ?? '';
    await shoot(page, 'settings-key');
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page
      .getByRole('rowheader', { name: /^Nightly report/ })
      .first()
      .waitFor();
    await page.getByText(/^et_key/).waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(value);
    await shoot(page, 'settings-keys');
    await page.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    await page.getByText(/^et_key/).waitFor();
    expect(await page.getByText(/^et_key/).textContent()).not.toBe(value);
    await page.getByRole('button', { name: 'I have copied it' }).click();

    await page.getByRole('link', { name: 'Appearance' }).click();
    await page.getByRole('radio', { name: 'Dark' }).check();
    await shoot(page, 'settings-appearance-dark');
    await page.getByRole('radio', { name: 'System' }).check();
    await page.getByRole('link', { name: 'Organization', exact: true }).click();
    await page.getByLabel('Colour').fill('blue');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('must be a hex colour').waitFor();
    await shoot(page, 'settings-organization');
    await page.getByLabel('Colour').fill('#1f6feb');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).first().waitFor();
    await page.getByRole('link', { name: 'About' }).click();
    await page.getByText('Only with an invite').or(page.getByText('Anyone can create one')).waitFor();
    await shoot(page, 'settings-about');
    await page.context().close();
  });

  test('grant rights by a matrix, name what may be used, and show what that comes to for a member', async () => {
    const owner = await registerUser(served.url, { full_name: 'Ada Lovelace' });
    const member = await join(owner);
    const [agentId, goneId] = [await createAgent(owner.client, { name: 'Analyst' }), await createAgent(owner.client)];
    const page = await served.open({ width: 1440, height: 900 });
    await signIn(page, served.url, owner, `/o/${owner.orgId}/permissions`);
    await page.getByText('No permission groups yet').waitFor();
    await shoot(page, 'permissions-empty');
    await page.getByRole('button', { name: 'Add a group' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Interns');
    await page.getByRole('dialog').getByRole('button', { name: 'Add a group' }).click();
    await heading(page, 'Interns').waitFor();
    await page.getByRole('checkbox', { name: 'Agents: Change' }).check();
    expect(await page.getByRole('checkbox', { name: 'Agents: View' }).isChecked()).toBe(true);
    await page.getByRole('checkbox', { name: 'Everything: View' }).check();
    await page.getByRole('checkbox', { name: 'Skills: View' }).uncheck();
    for (const name of ['Analyst', 'Test agent']) {
      await page.getByRole('combobox', { name: 'Agents' }).fill(name);
      await page.getByRole('option', { name }).click();
    }
    await page.getByLabel('Token budget').fill('1000000');
    await page.getByLabel('Window of the budget').fill('24');
    await page.getByRole('combobox', { name: 'As', exact: true }).fill(member.email);
    await page.getByRole('option', { name: member.email }).click();
    await page.getByText('is not in this group').waitFor();
    await page.getByText('1,000,000 tokens in 24 hours').waitFor();
    await shoot(page, 'permissions-group');
    await page.getByText('is not in this group').scrollIntoViewIfNeeded();
    await takeShot(page, 'permissions-preview');
    await page.getByRole('button', { name: 'Save', exact: true }).first().click();
    await page.getByText('Interns was saved').waitFor();
    const [group] = (await owner.client.get<TestGroup[]>('/api/permissions/groups')).json;
    expect(group?.permissions).toEqual(expect.arrayContaining(['agents.view', 'agents.manage', 'tools.view']));
    expect(group?.permissions).not.toContain('skills.view');
    expect(group?.limits).toMatchObject({ token_budget: 1_000_000, token_window_hours: 24 });
    expect(group?.capabilities.agent_ids).toEqual([agentId, goneId]);

    await page.getByRole('tab', { name: /^Members/ }).click();
    await page.getByRole('combobox', { name: 'Members of the group' }).fill(member.email);
    await page.getByRole('option', { name: member.email }).click();
    await page.getByRole('button', { name: 'Save the members' }).click();
    await page.getByText('The members were saved').waitFor();
    await shoot(page, 'permissions-members');
    await owner.client.delete(`/api/agents/${goneId}`);
    await page.goto(`${served.url}/o/${owner.orgId}/permissions/${group?.id}`);
    await page.getByRole('button', { name: `Remove ${goneId}` }).waitFor();
    await page.getByRole('link', { name: 'Permission groups' }).first().click();
    await page.getByRole('rowheader', { name: 'Interns' }).waitFor();
    await shoot(page, 'permissions');
    await page.context().close();
  });

  test('show what was used by day and by agent, and own budgets', async () => {
    const owner = await registerUser(served.url, { full_name: 'Ada Lovelace' });
    const member = await join(owner);
    const agentId = await createAgent(owner.client, { name: 'Analyst' });
    const chatId = await createChat(owner.client, agentId);
    for (const [daysAgo, input, output, cost] of [
      [1, 4_000, 900, 1],
      [3, 12_000, 2_500, 0.5],
      [6, 700, 80, null],
      [12, 9_000, 3_000, 0],
    ] as const) {
      await served.api.database.system.query(
        `insert into token_usage (turn_id, step, org_id, chat_id, user_id, provider_type, model, input_tokens,
          output_tokens, cached_input_tokens, estimated, cost, created_at)
         values ($1, 0, $2, $3, $4, 'openai', 'gpt-9', $5, $6, 0, false, $7, now() - make_interval(days => $8))`,
        [randomUUID(), owner.orgId, chatId, owner.id, input, output, cost, daysAgo],
      );
    }
    const page = await served.open({ width: 1440, height: 900 });
    await signIn(page, served.url, owner, `/o/${owner.orgId}/usage`);
    await page.getByText('$1.50').first().waitFor();
    await page.getByText('whose price is not known').waitFor();
    await shoot(page, 'usage');
    await page.getByRole('combobox', { name: 'By' }).click();
    await page.getByRole('option', { name: 'Agent' }).click();
    await page.getByRole('rowheader', { name: 'Analyst' }).last().waitFor();
    expect(page.url()).toContain('by=agent');
    await page.getByRole('combobox', { name: 'Chart' }).click();
    await page.getByRole('option', { name: 'Cost' }).click();
    await page.getByRole('button', { name: '7 days' }).click();
    await page.reload();
    await page.getByRole('rowheader', { name: 'Analyst' }).last().waitFor();
    await shoot(page, 'usage-by-agent');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.evaluate('document.querySelector("main").scrollTop = 0');
    await shoot(page, 'usage-phone-filters');
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByLabel('From', { exact: true }).fill('2001-01-01');
    await page.keyboard.press('Enter');
    await page.getByLabel('To', { exact: true }).fill('2001-02-01');
    await page.keyboard.press('Enter');
    await page.getByText('No usage in this period').waitFor();
    await page.context().close();

    const limits = { token_budget: 1_000, token_window_hours: 24 };
    const group = await owner.client.post<TestGroup>('/api/permissions/groups', { name: 'Interns', limits });
    await owner.client.send('PUT', `/api/permissions/groups/${group.json.id}/members`, { user_ids: [member.id] });
    const again = await served.open({ width: 1440, height: 900 });
    await signIn(again, served.url, owner, `/o/${owner.orgId}/usage`);
    await again.getByRole('row', { name: /0 of 1,000 tokens in 24 hours/ }).waitFor();
    await again.getByText('Budgets of members').scrollIntoViewIfNeeded();
    await shoot(again, 'usage-budgets-of-members');
    await again.context().close();
    const theirs = await served.open();
    await signIn(theirs, served.url, member, `/o/${owner.orgId}/usage`);
    await theirs.getByText('0 of 1,000 tokens in 24 hours').waitFor();
    expect(await theirs.getByRole('combobox', { name: 'Members' }).count()).toBe(0);
    await shoot(theirs, 'usage-budget');
    await theirs.context().close();
  });

  test('find entries of the audit log by filters in the address', async () => {
    const owner = await registerUser(served.url, { full_name: 'Ada Lovelace' });
    const member = await join(owner);
    await createAgent(member.client, { name: 'Analyst' });
    const page = await served.open({ width: 1440, height: 900 });
    await signIn(page, served.url, owner, `/o/${owner.orgId}/audit`);
    await page.getByText('created the agent Analyst').waitFor();
    await page.getByRole('button', { name: 'Add a filter' }).click();
    await page.getByRole('menuitem', { name: 'Who' }).click();
    await page.getByRole('dialog').getByRole('combobox', { name: 'Who' }).fill(member.email);
    await page.getByRole('option', { name: member.email }).click();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByText(`Who: ${member.email}`).waitFor();
    expect(page.url()).toContain(`actor_id=${member.id}`);
    await shoot(page, 'audit');
    await page
      .getByRole('row', { name: /created the agent Analyst/ })
      .getByRole('button')
      .click();
    await page.getByText('Fields sent').waitFor();
    await shoot(page, 'audit-entry');
    await page.getByRole('button', { name: 'Only this action' }).click();
    await page.getByText('Action: Agent: created').waitFor();
    await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
    await page.getByRole('row').nth(1).waitFor();
    await page.goto(`${served.url}/o/${owner.orgId}/audit?action=no.such`);
    await page.getByText('Action: no: such').waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.context().close();
  });

  test('delete an organization and the account, each once its name was typed', async () => {
    const user = await registerUser(served.url);
    const page = await served.open();
    await signIn(page, served.url, user, `/o/${user.orgId}/settings/organization`);
    const { name } = (await user.client.get<{ name: string }>(`/api/orgs/${user.orgId}`)).json;
    await page.getByRole('button', { name: 'Delete the organization' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill(name);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the organization' }).click();
    await heading(page, 'You belong to no organization').waitFor();
    await page.getByLabel('Name of the organization').fill('Another');
    await page.getByRole('button', { name: 'Create' }).click();
    await heading(page, /^Hello/).waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Delete the account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Current password').fill('not the password');
    await dialog.getByLabel(`Type ${user.email} to go on`).fill(user.email);
    await dialog.getByRole('button', { name: 'Delete the account' }).click();
    await dialog.getByText('The current password is wrong').waitFor();
    await dialog.getByLabel('Current password').fill(user.password);
    await dialog.getByRole('button', { name: 'Delete the account' }).click();
    await heading(page, 'Sign in').waitFor();
    await page.context().close();
  });

  describe('on a phone, in the dark', () => {
    test('fit the width and keep the contrast', async () => {
      const owner = await registerUser(served.url, { full_name: 'Ada Lovelace' });
      const member = await join(owner);
      await owner.client.post('/api/users/me/api-keys', { name: 'Nightly report' });
      const group = await owner.client.post<TestGroup>('/api/permissions/groups', { name: 'Interns' });
      const page = await served.open({ width: 390, height: 844 });
      await page.emulateMedia({ colorScheme: 'dark' });
      await signIn(page, served.url, owner, `/o/${owner.orgId}/members`);
      for (const [path, shown] of [
        ['members', 'No open invites.'],
        [`members/${member.id}`, 'No device is signed in.'],
        ['permissions', 'Interns'],
        [`permissions/${group.json.id}`, 'Marketplace'],
        ['usage', 'No usage in this period'],
        ['audit', 'created the permission group Interns'],
        ['settings/profile', 'Delete your account'],
        ['settings/sign-ins', 'this one'],
        ['settings/api-keys', 'Nightly report'],
        ['settings/organization', 'Delete the organization'],
      ] as const) {
        await page.goto(`${served.url}/o/${owner.orgId}/${path}`);
        await page.getByText(shown).filter({ visible: true }).first().waitFor();
        const width = await page.locator('html').evaluate((element) => element.scrollWidth);
        expect([path, width]).toEqual([path, 390]);
        await shoot(
          page,
          `phone-${path
            .split('/')
            .map((part) => (part === member.id || part === group.json.id ? 'one' : part))
            .join('-')}`,
        );
      }
      await page.context().close();
    });
  });
});
