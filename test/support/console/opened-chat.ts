import type { Page } from 'playwright-core';
import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../factories.ts';
import type { TestInstance } from '../test-instance.ts';
import { waitUntil } from '../wait-until.ts';
import type { BrowsedConsole } from './browsed-console.ts';

/** A chat of a new user, in a tab of theirs. */
export interface OpenedChat {
  readonly user: TestUser;
  readonly chatId: string;
  readonly page: Page;
}

interface OpenOptions {
  /** Fields of its agent. */
  readonly agent?: Record<string, unknown>;
  /** The api that serves the page; that of the instance unless given. */
  readonly url?: string;
  /** Is called with the tab before it is led anywhere. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

/** Opens a chat of a new user, whose agent the scripted model answers for. */
export async function openChat(served: BrowsedConsole<TestInstance>, options: OpenOptions = {}): Promise<OpenedChat> {
  const { api, model } = served.backend;
  const user = await registerUser(api.url);
  await createProvider(user.client, model.url);
  const chatId = await createChat(user.client, await createAgent(user.client, { name: 'Lead', ...options.agent }));
  const page = await served.open();
  await options.prepare?.(page);
  await signInAt(page, `${options.url ?? api.url}/o/${user.orgId}/chats/${chatId}`, user);
  await composerOf(page).waitFor();
  return { user, chatId, page };
}

/** Leads a tab to a page by the sign-in. */
export async function signInAt(page: Page, address: string, { email, password }: TestUser): Promise<void> {
  await page.goto(address);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** The field in which messages are written. */
export function composerOf(page: Page) {
  return page.getByRole('textbox', { name: 'Message' });
}

/** Writes a message and sends it. */
export async function send(page: Page, words: string): Promise<void> {
  await composerOf(page).fill(words);
  await page.keyboard.press('Enter');
}

/** What the log of a chat shows. */
export async function logOf(page: Page): Promise<string> {
  return (await page.getByRole('log').textContent()) ?? '';
}

/** Waits until the log of a chat shows words. */
export async function shows(page: Page, words: string): Promise<void> {
  const probe = async () => ((await logOf(page)).includes(words) ? true : undefined);
  await waitUntil(`the words "${words}"`, probe);
}

/** Waits until the last answer is stored, and shown as such. */
export async function showsStored(page: Page, answers = 1): Promise<void> {
  await page
    .getByRole('button', { name: 'Copy as Markdown' })
    .nth(answers - 1)
    .waitFor();
}

/** Returns how often words stand in a text. */
export function timesIn(words: string, text: string): number {
  return text.split(words).length - 1;
}

/** Returns the stored answers of a chat, oldest first. */
export async function storedAnswers({ user, chatId }: Pick<OpenedChat, 'user' | 'chatId'>): Promise<string[]> {
  const { json } = await user.client.get<{ role: string; content: string }[]>(`/api/chats/${chatId}/messages`);
  return json.filter(({ role }) => role === 'assistant').map(({ content }) => content);
}
