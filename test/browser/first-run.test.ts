import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { registerUser, type TestUser } from '../support/factories.ts';
import { invite } from '../support/invitations.ts';
import { brokenRules, describeConsoleAtWork, takeShot } from '../support/console/browsed-console.ts';

const PASSWORD = 'correct horse battery';

async function signIn(page: Page, url: string, { email, password }: Pick<TestUser, 'email' | 'password'>, path = '/') {
  await page.goto(url + path);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

describeConsoleAtWork('the console in a browser', (served) => {
  test('leads a new person to an agent of their own, without a key and by every page on the way', async () => {
    const page = await served.open();
    await page.goto(served.url);
    await heading(page, 'Create an account').waitFor();
    await page.getByLabel('Your name').fill('Ada Lovelace');
    await page.getByLabel('E-mail address').fill('ada@first-run.example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'register');
    await page.getByRole('button', { name: 'Create an account' }).click();
    await heading(page, 'Choose a model').waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'welcome');
    await page.getByRole('button', { name: 'Demo model' }).click();
    await page.getByRole('button', { name: /^Assistant/ }).waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'welcome-agent');
    await page.getByRole('button', { name: /^Assistant/ }).click();
    await page.getByText('Assistant is ready to work.').waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'welcome-done');
    await page.getByRole('button', { name: 'Calculate 2+3*4' }).click();
    await page
      .getByRole('log')
      .getByText(/\b14\b/)
      .filter({ visible: true })
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Home' }).click();
    await heading(page, 'Hello, Ada').waitFor();
    await page.getByRole('link', { name: 'Calculate 2+3*4' }).waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'home');
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.getByRole('rowheader', { name: /^Assistant/ }).waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'agents');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'help');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('prov');
    await page.getByRole('option', { name: 'Providers' }).waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'palette');
    await page.keyboard.press('Enter');
    await heading(page, 'Providers').waitFor();
    await page.getByText('No provider account yet').waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'providers');
    await page.context().close();
  });

  test('leads back to the demo model from a key that does not work', async () => {
    const user = await registerUser(served.url);
    const page = await served.open({ width: 390, height: 844, isTouched: true });
    await signIn(page, served.url, user);
    await heading(page, /^Hello/).waitFor();
    await page.goto(`${served.url}/welcome`);
    await page.getByRole('button', { name: /^A provider of your own/ }).click();
    await page.getByRole('combobox', { name: 'Provider' }).fill('openai-compatible');
    await page.getByRole('combobox', { name: 'Provider' }).press('Enter');
    await page.getByLabel('Address of the server').fill(`${served.backend.model.url}/nowhere`);
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

  test('adds an account of a provider, whose key is nowhere in the page afterwards', async () => {
    const user = await registerUser(served.url);
    const page = await served.open();
    await signIn(page, served.url, user, `/o/${user.orgId}/providers`);
    await page.getByRole('button', { name: 'Add an account' }).click();
    await page.getByRole('combobox', { name: 'Provider' }).fill('custom');
    await page.getByRole('option', { name: 'Custom OpenAI-compatible endpoint' }).click();
    await page.getByLabel('Name of the account').fill('Ours');
    await page.getByLabel('Address of the server').fill('not an address');
    await page.getByLabel('API key').fill('sk-never-to-be-seen');
    await page.getByLabel('Model', { exact: true }).fill('model-1');
    await page.getByRole('dialog').getByRole('button', { name: 'Add an account' }).click();
    const address = page.getByLabel('Address of the server');
    await page.locator('[aria-invalid=true]').waitFor();
    expect(await address.getAttribute('aria-invalid')).toBe('true');
    await address.fill('https://models.example.com/v1');
    await page.getByRole('dialog').getByRole('button', { name: 'Add an account' }).click();
    await page.getByRole('button', { name: 'Add without a test' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('rowheader', { name: /^Ours/ }).waitFor();
    await page.getByRole('dialog', { name: 'Add an account' }).waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain('sk-never-to-be-seen');
    await page.context().close();
  });

  test('stays signed in over a reload and in another tab, and signs out in both', async () => {
    const user = await registerUser(served.url);
    const page = await served.open();
    await signIn(page, served.url, user);
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
      await signIn(page, served.url, user);
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
