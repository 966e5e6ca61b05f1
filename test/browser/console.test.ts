import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { registerUser } from '../support/factories.ts';
import { brokenRules, describeConsoleAtWork, takeShot } from '../support/console/browsed-console.ts';
import { isLong } from '../support/in-length.ts';
import { logOf, openChat, send, shows, signInAt, timesIn } from '../support/console/opened-chat.ts';

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

/** The pages that every run holds against the rules of WCAG: a form, a page with regions and a dialog. */
const INSPECTED: ReadonlySet<string> = new Set(['register', 'home', 'help']);

async function inspect(page: Page, name: string): Promise<void> {
  if (isLong || INSPECTED.has(name)) expect(await brokenRules(page)).toEqual([]);
  await takeShot(page, name);
}

describeConsoleAtWork('the console in a browser', (served) => {
  test('leads a new person to an agent of their own, without a key and by every page on the way', async () => {
    const page = await served.open();
    const scripts: string[] = [];
    page.on('request', (request) => request.resourceType() === 'script' && scripts.push(request.url()));
    await page.goto(served.url);
    await heading(page, 'Create an account').waitFor();
    expect(scripts.length).toBeLessThan(10);
    await page.getByLabel('Your name').fill('Ada Lovelace');
    await page.getByLabel('E-mail address').fill('ada@first-run.example.com');
    await page.getByLabel('Password').fill('correct horse battery');
    await inspect(page, 'register');
    await page.getByRole('button', { name: 'Create an account' }).click();
    await heading(page, 'Choose a model').waitFor();
    await inspect(page, 'welcome');
    await page.getByRole('button', { name: 'Demo model' }).click();
    await page.getByRole('button', { name: /^Assistant/ }).waitFor();
    await inspect(page, 'welcome-agent');
    await page.getByRole('button', { name: /^Assistant/ }).click();
    await page.getByText('Assistant is ready.').waitFor();
    await inspect(page, 'welcome-done');
    await page.getByRole('button', { name: 'What is 2+3*4?' }).click();
    await page
      .getByRole('log')
      .getByText(/\b14\b/)
      .filter({ visible: true })
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Home' }).click();
    await heading(page, 'Hello, Ada').waitFor();
    // Its turn may still be ending, and then it stands among what runs too.
    await page.getByRole('region', { name: 'Recent chats' }).getByRole('link', { name: 'What is 2+3*4?' }).waitFor();
    await inspect(page, 'home');
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.getByRole('rowheader', { name: /^Assistant/ }).waitFor();
    await inspect(page, 'agents');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await inspect(page, 'help');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('prov');
    await page.getByRole('option', { name: 'Providers' }).waitFor();
    await inspect(page, 'palette');
    await page.keyboard.press('Enter');
    await heading(page, 'Providers').waitFor();
    await page.getByText('No provider account yet').waitFor();
    await inspect(page, 'providers');
    await page.context().close();
  });

  test('adds an account of a provider, whose key is nowhere in the page afterwards', async () => {
    const user = await registerUser(served.url);
    const page = await served.open();
    await signInAt(page, `${served.url}/o/${user.orgId}/providers`, user);
    await page.getByRole('button', { name: 'Add an account' }).click();
    await page.getByRole('combobox', { name: 'Provider' }).fill('custom');
    await page.getByRole('option', { name: 'Custom OpenAI-compatible endpoint' }).click();
    await page.getByLabel('Name of the account').fill('Ours');
    await page.getByLabel('Base URL').fill('not an address');
    await page.getByLabel('API key').fill('sk-never-to-be-seen');
    await page.getByLabel('Model', { exact: true }).fill('model-1');
    await page.getByRole('dialog').getByRole('button', { name: 'Add an account' }).click();
    const address = page.getByLabel('Base URL');
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

  test('shows an answer as it is written, once, also when the page is loaded anew in the middle of it', async () => {
    const { page } = await openChat(served);
    const gate = randomUUID();
    await send(page, `[[slow 9 chunks every 1ms]] [[hold ${gate} after 3 chunks]]`);
    await shows(page, 'w1 w2 w3');
    await page.reload();
    await shows(page, 'w1 w2 w3');
    expect(timesIn('w1 w2 w3', await logOf(page))).toBe(1);
    served.backend.model.release(gate);
    await shows(page, 'w1 w2 w3 w4 w5 w6 w7 w8 w9');
    await page.getByRole('button', { name: 'Copy as Markdown' }).waitFor();
    expect(timesIn('w1 w2 w3', await logOf(page))).toBe(1);
  });
});
