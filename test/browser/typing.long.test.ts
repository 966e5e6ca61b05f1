import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { brokenRules, describeConsoleAtWork, takeShot } from '../support/console/browsed-console.ts';
import { fillChat } from '../support/console/filled-chat.ts';
import { composerOf, openChat, signInAt } from '../support/console/opened-chat.ts';
import { createAgent, createChat, createProvider, registerUser } from '../support/factories.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Words that lead to three other pages where their letters are shortcuts. */
const WORDS = 'great, go on /c';

describeConsoleAtWork('what one types in the console', (served) => {
  /** What has the focus: its label, or else its role. */
  const focused = async (page: Page) =>
    page.evaluate<string | null>(
      "document.activeElement.getAttribute('aria-label') ?? document.activeElement.getAttribute('role')",
    );
  /** Types at once, as somebody does who does not wait for the page, and expects that it stands in the composer. */
  const expectTyped = async (page: Page, path: RegExp) => {
    await page.keyboard.type(WORDS);
    await composerOf(page).waitFor();
    await waitUntil('the composer to have the focus', async () => (await focused(page)) === 'Message' || undefined);
    expect(await composerOf(page).inputValue()).toBe(WORDS);
    expect(new URL(page.url()).pathname).toMatch(path);
    await composerOf(page).fill('');
  };

  test('goes into a new chat, however that was reached', async () => {
    const user = await registerUser(served.url);
    await createProvider(user.client, served.backend.model.url);
    await createAgent(user.client, { name: 'Lead' });
    const page = await served.open();
    const home = async () => {
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click();
      await page.getByRole('heading', { level: 1, name: /^Hello/ }).waitFor();
    };
    const newChat = /\/chats$/;
    await signInAt(page, `${served.url}/o/${user.orgId}`, user);
    await page.getByRole('heading', { level: 1, name: /^Hello/ }).waitFor();
    await page.keyboard.press('c');
    await expectTyped(page, newChat);
    expect(await page.title()).toMatch(/^New chat/);
    const region = page.getByRole('main').getByRole('region', { name: 'New chat' });
    expect(await region.getByRole('textbox', { name: 'Message' }).count()).toBe(1);
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'new-chat');
    await home();
    await page.getByRole('region', { name: 'Start a chat with' }).getByRole('link').first().click();
    await expectTyped(page, newChat);
    await home();
    await page.getByRole('link', { name: 'New chat' }).click();
    await expectTyped(page, newChat);
    await home();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('New chat');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/chats$/);
    await expectTyped(page, newChat);
    await home();
    await page.goBack();
    await expectTyped(page, newChat);
    await page.reload();
    await composerOf(page).waitFor();
    await expectTyped(page, newChat);
    await page.context().close();
  });

  test('goes into a chat that is opened, however that was reached, and leaves its target in sight', async () => {
    const chat = await openChat(served);
    const { page, user, chatId } = chat;
    await fillChat(served.backend.api, chat, 60);
    const other = await createChat(user.client);
    await user.client.patch(`/api/chats/${other}/title`, { title: 'Another' });
    const opened = new RegExp(`/chats/${chatId}$`);
    await expectTyped(page, opened);
    const { json: messages } = await user.client.get<{ id: string }[]>(`/api/chats/${chatId}/messages`);
    await page.getByRole('link', { name: 'Another' }).click();
    await expectTyped(page, new RegExp(`/chats/${other}$`));
    await page.goBack();
    await expectTyped(page, opened);
    await page.goto(`${served.url}/o/${user.orgId}/chats/${chatId}?message=${messages[0]?.id ?? ''}`);
    const log = page.getByRole('log');
    await log.locator('[data-found]').getByText('question 1', { exact: true }).waitFor();
    await expectTyped(page, opened);
    const [question, around] = [log.getByText('question 1', { exact: true }), log];
    const [inner, outer] = [await question.boundingBox(), await around.boundingBox()];
    expect((inner?.y ?? 0) - (outer?.y ?? Infinity)).toBeGreaterThanOrEqual(0);
    await page.keyboard.press('Control+f');
    await page.keyboard.type('question');
    await page.keyboard.press('Escape');
    await expectTyped(page, opened);
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.keyboard.type('g');
    expect(await page.getByLabel('Title of the chat').inputValue()).toContain('g');
    await page.context().close();
  });

  test('goes into the search when that was reached by its key', async () => {
    const user = await registerUser(served.url);
    const page = await served.open();
    await signInAt(page, `${served.url}/o/${user.orgId}`, user);
    await page.getByRole('heading', { level: 1, name: /^Hello/ }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('go on');
    await page.waitForURL(/\/search\?q=go/);
    await page.context().close();
  });

  test('waits for a touch on a phone, whose keyboard would cover the page', async () => {
    const user = await registerUser(served.url);
    await createAgent(user.client, { name: 'Lead' });
    const page = await served.open({ width: 390, height: 844, isTouched: true });
    await signInAt(page, `${served.url}/o/${user.orgId}/chats`, user);
    await composerOf(page).waitFor();
    await page.getByRole('combobox', { name: 'Agent' }).filter({ hasText: 'Lead' }).waitFor();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    await takeShot(page, 'new-chat-phone');
    await page.context().close();
  });

  test('chooses what matches by Enter, and is not dropped without a word', async () => {
    const user = await registerUser(served.url);
    const page = await served.open({ width: 1024, height: 800 });
    await signInAt(page, `${served.url}/o/${user.orgId}/providers`, user);
    await page.getByRole('button', { name: 'Add an account' }).click();
    const key = page.getByRole('dialog').getByLabel('API key');
    await waitUntil(
      'the key to have the focus',
      async () => (await key.evaluate((input) => input.matches(':focus'))) || undefined,
    );
    await page.keyboard.press('Tab');
    const field = page.getByRole('combobox', { name: 'Provider' });
    expect(await field.evaluate((input) => input.matches(':focus'))).toBe(true);
    await page.keyboard.type('anthropic');
    await page.getByRole('option', { name: 'Anthropic' }).first().waitFor();
    await takeShot(page, 'combobox');
    await page.keyboard.press('Enter');
    await page.getByLabel('API key').waitFor();
    expect(await field.inputValue()).toBe('Anthropic');
    await field.fill('nothing like it');
    await page.keyboard.press('Tab');
    await page.getByText('“nothing like it” was not chosen.').waitFor();
    expect(await field.inputValue()).toBe('Anthropic');
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'combobox-left');
    await page.emulateMedia({ colorScheme: 'dark' });
    await takeShot(page, 'combobox-left-dark');
    await page.getByLabel('Model', { exact: true }).fill('a-model-of-mine');
    await page.keyboard.press('Enter');
    expect(await page.getByLabel('Model', { exact: true }).inputValue()).toBe('a-model-of-mine');
    await page.context().close();
  });
});
