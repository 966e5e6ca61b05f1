import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { registerUser } from '../support/factories.ts';
import { invite } from '../support/invitations.ts';
import { brokenRules, describeConsoleAtWork, takeShot } from '../support/console/browsed-console.ts';
import { signInAt } from '../support/console/opened-chat.ts';

const PASSWORD = 'correct horse battery';

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

describeConsoleAtWork('the first visits of a person', (served) => {
  test('leads back to the demo model from a key that does not work', async () => {
    const user = await registerUser(served.url);
    const page = await served.open({ width: 390, height: 844, isTouched: true });
    await signInAt(page, served.url, user);
    await heading(page, /^Hello/).waitFor();
    await page.goto(`${served.url}/welcome`);
    await page.getByRole('button', { name: /^Your own provider/ }).click();
    await page.getByRole('combobox', { name: 'Provider' }).fill('openai-compatible');
    await page.getByRole('combobox', { name: 'Provider' }).press('Enter');
    await page.getByLabel('Base URL').fill(`${served.backend.model.url}/nowhere`);
    await page.getByLabel('API key').fill('sk-wrong');
    await page.getByLabel('Model', { exact: true }).fill('scripted-1');
    await page.getByRole('button', { name: 'Add an account' }).click();
    await page.getByText(/^The account was not added\./).waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'welcome-not-added');
    await page.getByRole('button', { name: 'Use the demo model instead' }).click();
    await heading(page, 'Choose an agent').waitFor();
    expect((await user.client.get('/api/providers')).json).toEqual([]);
    await page.context().close();
  });

  test('stays signed in over a reload and in another tab, and signs out in both', async () => {
    const user = await registerUser(served.url);
    const page = await served.open();
    await signInAt(page, served.url, user);
    await heading(page, /^Hello/).waitFor();
    await page.reload();
    await heading(page, /^Hello/).waitFor();
    const beside = await served.openBeside(page);
    await beside.goto(`${served.url}/o/${user.orgId}/agents`);
    await heading(beside, 'Agents').waitFor();
    const kept = await page.context().storageState();
    const stored = JSON.stringify(kept.origins);
    expect(stored).not.toMatch(/eyJ|et_web_/);
    expect(kept.cookies).toEqual([
      expect.objectContaining({ httpOnly: true, sameSite: 'Strict', secure: true, path: '/api/auth/browser-session' }),
    ]);
    await page.getByRole('button', { name: 'Account' }).first().click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading(page, 'Sign in').waitFor();
    await heading(beside, 'Sign in').waitFor();
    await page.context().close();
  });

  test('takes an invite out of the address, and lets its holder in', async () => {
    const host = await registerUser(served.url);
    const { token } = await invite(host, { role: 'member' });
    const page = await served.open();
    await page.goto(`${served.url}/join?token=${token}`);
    await heading(page, 'You are invited').waitFor();
    await page.getByLabel('E-mail address').waitFor();
    expect(new URL(page.url()).search).toBe('');
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'join');
    await page.getByLabel('Your name').fill('Grace Hopper');
    await page.getByLabel('E-mail address').fill('grace@first-run.example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create an account' }).click();
    await heading(page, 'Hello, Grace').waitFor();
    await page.context().close();
  });

  test('says that an invite is not valid', async () => {
    const page = await served.open();
    await page.goto(`${served.url}/join?token=et_inv_nothing`);
    await page.getByText('This invite is not valid').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await page.context().close();
  });

  describe('on a phone, in the dark', () => {
    test('has its navigation below, fits the width, and keeps the contrast', async () => {
      const user = await registerUser(served.url);
      const page = await served.open({ width: 390, height: 844, isTouched: true });
      await page.emulateMedia({ colorScheme: 'dark' });
      await signInAt(page, served.url, user);
      await heading(page, /^Hello/).waitFor();
      for (const name of ['Home', 'Inbox', 'Chats']) {
        await page.getByRole('navigation').getByRole('link', { name }).click();
        await page.getByRole('main').getByRole('heading').filter({ visible: true }).first().waitFor();
        const width = await page.locator('html').evaluate((element) => element.scrollWidth);
        expect([name, width]).toEqual([name, 390]);
        expect(await brokenRules(page)).toEqual([]);
        await takeShot(page, `phone-${name.toLowerCase()}`);
      }
      for (const [name, path] of [
        ['search', '/search?q=report'],
        ['missing', '/nowhere'],
        ['tasks', '/tasks'],
        ['personas', '/personas'],
      ] as const) {
        await page.goto(`${served.url}/o/${user.orgId}${path}`);
        await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
        const width = await page.locator('html').evaluate((element) => element.scrollWidth);
        expect([name, width]).toEqual([name, 390]);
        expect([name, await brokenRules(page)]).toEqual([name, []]);
        await takeShot(page, `phone-${name}`);
      }
      await page.context().close();
    });
  });
});
