import type { Browser, Page } from 'playwright-core';
import { send, shows } from '../../../test/support/console/opened-chat.ts';
import { watchMainThread } from '../../../test/support/console/main-thread.ts';
import {
  createAgent,
  createChat,
  createProvider,
  registerUser,
  type TestUser,
} from '../../../test/support/factories.ts';
import { fillChat } from '../../instance/open-chat.ts';
import type { Instance } from '../../instance/instance.ts';
import { ModelControl } from '../../instance/start-model.ts';
import { countRequests, openSignedIn } from './open-browser.ts';

/** What the page of a long chat costs. Shares are processor time of the page's main thread, in percent. */
export interface ChatCost {
  readonly requestsAtOpening: number;
  readonly requestsWhenIdle: number;
  readonly scriptShare: number;
  readonly layoutShare: number;
  readonly longestTaskMs: number;
  readonly secondsForAll: number;
  readonly nodes: number;
}

interface ChatLoad {
  readonly messages: number;
  readonly idleMs: number;
}

/** A chat of a user of its own, whose agent the scripted model answers for. */
export interface OwnedChat {
  readonly user: TestUser;
  readonly id: string;
}

const SETTLE_MS = 2_500;
const STREAM_MS = 6_000;
const READ_LIMIT_MS = 300_000;
/** Markdown of the usual kind; some 25,000 tokens of four characters, more than are looked at. */
const FAST_TEXT = Array.from(
  { length: 400 },
  (_, part) =>
    `part ${part} of **many** with \`code\` and a [link](https://example.com/${part}), ${'words '.repeat(30)}`,
).join('\n\n');
/** An answer that does not end before it is stopped. */
const FAST_ANSWER = { text: FAST_TEXT, chunkChars: 4, everyMs: 1, hold: { after: 20_000, gate: 'the end' } };

/** Measures a long chat: opened, left alone, streamed into at 1,000 tokens a second, and read to its beginning. */
export async function measureChat(browser: Browser, instance: Instance, load: ChatLoad): Promise<ChatCost> {
  const chat = await makeChat(instance, load.messages);
  const page = await openSignedIn(browser, instance.apiUrl, chat.user);
  const requestsAtOpening = await openFromHome(page, chat);
  const idle = countRequests(page);
  await page.waitForTimeout(load.idleMs);
  const requestsWhenIdle = idle.paths.length;
  const streaming = await measureStreaming(page, instance);
  const secondsForAll = await readAll(page);
  const nodes = await page.getByRole('log').evaluate((log) => log.querySelectorAll('*').length);
  await page.context().close();
  return { requestsAtOpening, requestsWhenIdle, ...streaming, secondsForAll, nodes };
}

/** Makes a chat that holds so many messages. */
export async function makeChat({ apiUrl, model, databaseUrl }: Instance, messages: number): Promise<OwnedChat> {
  const user = await registerUser(apiUrl);
  await createProvider(user.client, model.url);
  const id = await createChat(user.client, await createAgent(user.client, { name: 'Lead' }));
  if (messages > 0) await fillChat(databaseUrl, { user, id }, messages);
  return { user, id };
}

async function openFromHome(page: Page, { id }: OwnedChat): Promise<number> {
  const link = page.getByRole('main').locator(`a[href$="${id}"]`).first();
  await link.waitFor();
  await page.waitForTimeout(SETTLE_MS);
  const opening = countRequests(page);
  await link.click();
  await page.getByRole('log').waitFor();
  await page.waitForTimeout(SETTLE_MS);
  return opening.paths.length;
}

async function measureStreaming(page: Page, instance: Instance) {
  const model = new ModelControl(instance.model.url);
  await model.answer(FAST_ANSWER);
  await send(page, 'go');
  await shows(page, 'part 10 ');
  const use = await watchMainThread(page, async () => page.waitForTimeout(STREAM_MS));
  await model.followDirectives();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  return {
    scriptShare: (use.scriptMs / use.wallMs) * 100,
    layoutShare: (use.layoutMs / use.wallMs) * 100,
    longestTaskMs: use.tasksMs[0] ?? Number.NaN,
  };
}

async function readAll(page: Page): Promise<number> {
  const begin = performance.now();
  await page.evaluate(
    `globalThis.atBegin = setInterval(() => document.querySelector('[role=log]').scrollTo(0, 0), 50)`,
  );
  const older = page.getByRole('button', { name: 'Show older messages' });
  await older.waitFor({ state: 'detached', timeout: READ_LIMIT_MS });
  return (performance.now() - begin) / 1_000;
}
