import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { registerUser, type TestUser } from '../support/factories.ts';
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

/** Looks at a page as it is: what it breaks, and a picture for people. */
async function look(page: Page, name: string): Promise<void> {
  expect([name, await brokenRules(page)]).toEqual([name, []]);
  await takeShot(page, name);
}

describeConsole('the pages of an organization in a browser', (served) => {
  test('lead from an invite to a member, whose role changes and who is removed', async () => {
    const owner = await registerUser(served.url, { full_name: 'Ada Lovelace' });
    const member = await registerManaged(served.api, owner, 'member');
    const page = await served.open({ width: 1440, height: 900 });
    await signIn(page, served.url, owner, `/o/${owner.orgId}/members`);
    await page.getByRole('rowheader', { name: member.email }).waitFor();
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    await page.getByLabel('E-mail address').fill('grace@example.com');
    await look(page, 'members-invite');
    await page.getByRole('button', { name: 'Make the invite' }).click();
    const link = await page.getByText(/\/join\?token=et_inv/).textContent();
    await look(page, 'members-invite-link');
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('rowheader', { name: 'grace@example.com' }).waitFor();
    const token = new URL(link ?? '').searchParams.get('token') ?? '';
    expect(token).toMatch(/^et_inv/);
    expect(await page.content()).not.toContain(token);
    await look(page, 'members');
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No open invites.').waitFor();

    await page.getByRole('link', { name: member.email }).click();
    await heading(page, member.email).waitFor();
    await page.getByText('No device is signed in.').waitFor();
    await look(page, 'member');
    await page.getByRole('radio', { name: /^Viewer/ }).check();
    await page.getByRole('button', { name: 'Change the role' }).click();
    await page.getByText('has the role Viewer now').waitFor();
    await page.getByRole('button', { name: 'Make a password link' }).click();
    const path = await page.getByText(/\/set-password\?token=et_pwd/).textContent();
    await look(page, 'member-password-link');
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText(/\/set-password\?token=et_pwd/).waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(new URL(path ?? '').searchParams.get('token'));
    await page.getByRole('button', { name: 'Remove' }).click();
    await look(page, 'member-remove');
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
    expect(members.json.map(({ user_id: id, role }) => [id, role]).toSorted()).toEqual(
      [
        [owner.id, 'admin'],
        [heir.id, 'owner'],
      ].toSorted(),
    );
    await page.context().close();
  });

  test('change who one is, end a sign-in, and make a key that is nowhere in the page afterwards', async () => {
    const user = await registerUser(served.url);
    const page = await served.open({ width: 1440, height: 900 });
    await signIn(page, served.url, user, `/o/${user.orgId}/settings`);
    await page.getByLabel('Your name').fill('Grace Hopper');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).first().waitFor();
    await page.getByLabel('New password').fill('short');
    await page.getByLabel('Current password').last().fill(user.password);
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('must have at least 8 characters').waitFor();
    await look(page, 'settings-profile');
    await page.getByLabel('New password').fill('a much better password');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('Your password was set').waitFor();
    expect(await page.getByLabel('New password').inputValue()).toBe('');

    await page.getByRole('link', { name: 'Sign-ins' }).click();
    await page.getByText('this one').waitFor();
    await look(page, 'settings-sign-ins');

    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'Make a key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Nightly report');
    await page.getByRole('dialog').getByRole('button', { name: 'Make a key' }).click();
    const value = (await page.getByText(/^et_key/).textContent()) ?? '';
    await look(page, 'settings-key');
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page
      .getByRole('rowheader', { name: /^Nightly report/ })
      .first()
      .waitFor();
    await page.getByText(/^et_key/).waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(value);
    await look(page, 'settings-keys');
    await page.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    await page.getByText(/^et_key/).waitFor();
    expect(await page.getByText(/^et_key/).textContent()).not.toBe(value);
    await page.getByRole('button', { name: 'I have stored it' }).click();

    await page.getByRole('link', { name: 'Appearance' }).click();
    await page.getByRole('radio', { name: 'Dark' }).check();
    await look(page, 'settings-appearance-dark');
    await page.getByRole('radio', { name: 'As the system' }).check();
    await page.getByRole('link', { name: 'Organization', exact: true }).click();
    await page.getByLabel('Colour').fill('blue');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('must be a hex colour').waitFor();
    await look(page, 'settings-organization');
    await page.getByLabel('Colour').fill('#1f6feb');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).first().waitFor();
    await page.getByRole('link', { name: 'About' }).click();
    await page.getByText('Only with an invite').or(page.getByText('Everybody may create one')).waitFor();
    await look(page, 'settings-about');
    await page.context().close();
  });

  test('delete an organization and the account, each once its name was typed', async () => {
    const user = await registerUser(served.url);
    const page = await served.open();
    await signIn(page, served.url, user, `/o/${user.orgId}/settings/organization`);
    const { name } = (await user.client.get<{ name: string }>(`/api/orgs/${user.orgId}`)).json;
    await page.getByRole('button', { name: 'Delete the organization' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill(name);
    await page.getByRole('button', { name: 'Delete for good' }).click();
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
      const page = await served.open({ width: 390, height: 844 });
      await page.emulateMedia({ colorScheme: 'dark' });
      await signIn(page, served.url, owner, `/o/${owner.orgId}/members`);
      for (const [path, shown] of [
        ['members', 'No open invites.'],
        [`members/${member.id}`, 'No device is signed in.'],
        ['settings/profile', 'Delete your account'],
        ['settings/sign-ins', 'this one'],
        ['settings/api-keys', 'Nightly report'],
        ['settings/organization', 'Delete the organization'],
      ] as const) {
        await page.goto(`${served.url}/o/${owner.orgId}/${path}`);
        await page.getByText(shown).first().waitFor();
        const width = await page.locator('html').evaluate((element) => element.scrollWidth);
        expect([path, width]).toEqual([path, 390]);
        await look(
          page,
          `phone-${path
            .split('/')
            .map((part) => (part === member.id ? 'one' : part))
            .join('-')}`,
        );
      }
      await page.context().close();
    });
  });
});
