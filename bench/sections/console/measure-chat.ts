import type { Browser, Page } from 'playwright-core';
import { composerOf, send, shows } from '../../../test/support/console/opened-chat.ts';
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
import { quantile } from '../../figures/statistics.ts';
import { ModelControl } from '../../instance/start-model.ts';
import { countRequests, msUntilShown, openSignedIn } from './open-browser.ts';

/** What the page of a long chat costs. Shares are processor time of the page's main thread, in percent. */
export interface ChatCost {
  readonly requestsAtOpening: number;
  /** From the click to its newest message. */
  readonly openedMs: number;
  /** From a key to the end of its synchronous work, while an answer streams; the 95th percentile. */
  readonly typingMs: number;
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
  const opening = await openFromHome(page, chat);
  const idle = countRequests(page);
  await page.waitForTimeout(load.idleMs);
  const requestsWhenIdle = idle.paths.length;
  const streaming = await measureStreaming(page, instance);
  const secondsForAll = await readAll(page);
  const nodes = await page.getByRole('log').evaluate((log) => log.querySelectorAll('*').length);
  await page.context().close();
  return { ...opening, requestsWhenIdle, ...streaming, secondsForAll, nodes };
}

/** Makes a chat that holds so many messages. */
export async function makeChat({ apiUrl, model, databaseUrl }: Instance, messages: number): Promise<OwnedChat> {
  const user = await registerUser(apiUrl);
  await createProvider(user.client, model.url);
  const id = await createChat(user.client, await createAgent(user.client, { name: 'Lead' }));
  if (messages > 0) await fillChat(databaseUrl, { user, id }, messages);
  return { user, id };
}

async function openFromHome(page: Page, { id }: OwnedChat) {
  const link = page.getByRole('main').locator(`a[href$="${id}"]`).first();
  await link.waitFor();
  await page.waitForTimeout(SETTLE_MS);
  const opening = countRequests(page);
  const openedMs = await msUntilShown(page, { link, isShown: `document.querySelector('[role=log] article') !== null` });
  await page.waitForTimeout(SETTLE_MS);
  return { requestsAtOpening: opening.paths.length, openedMs };
}

async function measureStreaming(page: Page, instance: Instance) {
  const model = new ModelControl(instance.model.url);
  await model.answer(FAST_ANSWER);
  await send(page, 'go');
  await shows(page, 'part 10 ');
  const use = await watchMainThread(page, async () => page.waitForTimeout(STREAM_MS));
  const typingMs = await measureTyping(page);
  await model.followDirectives();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  return {
    typingMs,
    scriptShare: (use.scriptMs / use.wallMs) * 100,
    layoutShare: (use.layoutMs / use.wallMs) * 100,
    longestTaskMs: use.tasksMs[0] ?? Number.NaN,
  };
}

const KEYS = 'The quick brown fox jumps over the lazy dog while an answer comes.';

/** Types into the field for messages. A posted message is handled after all synchronous work of a key. */
async function measureTyping(page: Page): Promise<number> {
  await composerOf(page).focus();
  await page.evaluate(`globalThis.keyTimes = []; addEventListener('input', ({ timeStamp }) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => keyTimes.push(performance.now() - timeStamp);
    port2.postMessage(null);
  })`);
  await page.keyboard.type(KEYS, { delay: 40 });
  const times = await page.evaluate<number[]>('keyTimes');
  await composerOf(page).fill('');
  return quantile(times, 0.95);
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
