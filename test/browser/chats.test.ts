import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { waitUntil } from '../support/wait-until.ts';
import { brokenRules, describeConsoleAtWork, takeShot } from '../support/console/browsed-console.ts';

describeConsoleAtWork('a chat in the console', (served) => {
  interface Opened {
    readonly user: TestUser;
    readonly chatId: string;
    readonly page: Page;
  }
  /** A chat of a new user, in a tab of theirs. */
  async function openChat(agent: Record<string, unknown> = {}): Promise<Opened> {
    const user = await registerUser(served.backend.api.url);
    await createProvider(user.client, served.backend.model.url);
    const chatId = await createChat(user.client, await createAgent(user.client, { name: 'Lead', ...agent }));
    const page = await served.open();
    await page.goto(`${served.backend.api.url}/o/${user.orgId}/chats/${chatId}`);
    await page.getByLabel('E-mail address').fill(user.email);
    await page.getByLabel('Password').fill(user.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    return { user, chatId, page };
  }
  async function send(page: Page, words: string): Promise<void> {
    await page.getByRole('textbox', { name: 'Message' }).fill(words);
    await page.keyboard.press('Enter');
  }
  const logOf = async (page: Page) => (await page.getByRole('log').textContent()) ?? '';
  const shows = async (page: Page, words: string) =>
    waitUntil(`the words "${words}"`, async () => ((await logOf(page)).includes(words) ? true : undefined), 20_000);
  const timesIn = (words: string, text: string) => text.split(words).length - 1;

  test('shows an answer as it is written, once, also when the page is loaded anew in the middle of it', async () => {
    const { page } = await openChat();
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
  }, 60_000);

  test('shows the text that is stored, once, when the worker dies in mid answer', async () => {
    const { page, user, chatId } = await openChat();
    const gate = randomUUID();
    await send(page, `[[slow 9 chunks every 1ms]] [[hold ${gate} after 3 chunks]]`);
    await shows(page, 'w1 w2 w3');
    await served.backend.workers.pop()?.kill();
    await served.backend.addWorker();
    served.backend.model.release(gate);
    await page.getByRole('button', { name: 'Copy as Markdown' }).waitFor({ timeout: 60_000 });
    const { json } = await user.client.get<{ role: string; content: string }[]>(`/api/chats/${chatId}/messages`);
    const stored = json.find(({ role }) => role === 'assistant')?.content ?? '';
    expect(stored).toContain('w9');
    expect(timesIn(stored, await logOf(page))).toBe(1);
    expect(timesIn('w1 ', await logOf(page))).toBe(timesIn('w1 ', stored));
  }, 120_000);

  test('shows the work of sub-agents where it was handed out, and is stopped with them', async () => {
    const { page, user } = await openChat({ tools: ['agent_spawn'] });
    await createAgent(user.client, { name: 'Scout' });
    const gate = randomUUID();
    const task = `[[slow 9 chunks every 1ms]] [[hold ${gate} after 3 chunks]]`;
    await send(page, `[[tool agent_spawn ${JSON.stringify({ agent: 'Scout', task })}]]`);
    const card = page.getByRole('region', { name: 'Scout' });
    await card.waitFor();
    await card.getByText('What it says').click();
    await card.getByText('w1 w2 w3').waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('Stopped', { exact: true }).waitFor();
    served.backend.model.release(gate);
  }, 60_000);

  test('leaves somebody alone who reads further up, and leads back to what is new', async () => {
    const { page } = await openChat();
    await send(page, `[[say ${'long '.repeat(1_500)}]]`);
    await page.getByRole('button', { name: 'Copy as Markdown' }).waitFor();
    const log = page.getByRole('log');
    await log.evaluate((element) => element.scrollTo(0, 0));
    await page.getByRole('button', { name: 'To the end' }).waitFor();
    const gate = randomUUID();
    await send(page, `[[slow 9 chunks every 1ms]] [[hold ${gate} after 3 chunks]]`);
    served.backend.model.release(gate);
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
    expect(await log.evaluate(({ scrollTop }) => scrollTop)).toBeLessThan(50);
    await page.getByRole('button', { name: 'New text below' }).click();
    await shows(page, 'w9');
  }, 60_000);

  test('keeps a draft through a reload, and shows Markdown of a model without its HTML', async () => {
    const { page } = await openChat();
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('half a thought');
    await page.reload();
    await field.waitFor();
    expect(await field.inputValue()).toBe('half a thought');
    await send(page, '[[say **bold** <img src=x onerror=alert(1)>]]');
    await page.getByRole('log').locator('strong', { hasText: 'bold' }).waitFor();
    expect(await page.getByRole('log').locator('img').count()).toBe(0);
  }, 60_000);

  test('breaks no rule of accessibility, wide and on a phone', async () => {
    const { page } = await openChat({ tools: ['time_now'] });
    await send(page, '[[tool time_now {}]] [[then]] [[say # Report\n\n[words](https://e.com)\n\n| a |\n|---|\n| 1 |]]');
    await page.getByRole('button', { name: 'Copy as Markdown' }).waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'chat');
    await page.setViewportSize({ width: 390, height: 780 });
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await page.reload();
    await page.getByRole('button', { name: 'Copy as Markdown' }).waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'chat-phone');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });
});
