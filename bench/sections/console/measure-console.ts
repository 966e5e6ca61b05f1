import type { Browser, Page } from 'playwright-core';
import { composerOf, send } from '../../../test/support/console/opened-chat.ts';
import { registerUser } from '../../../test/support/factories.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { quantile } from '../../figures/statistics.ts';
import type { Instance } from '../../instance/instance.ts';
import { ModelControl } from '../../instance/start-model.ts';
import { figure, printHeading, printRows, type Target } from '../../report/target.ts';
import type { Bench, SectionResult } from '../../section.ts';
import { makeChat, measureChat, type OwnedChat } from './measure-chat.ts';
import { msUntilShown, openBrowser, openSignedIn, openTab } from './open-browser.ts';

/** How much slower the processor of a phone is taken to be. */
const SLOWER = 4;

/** Measures and prints what the console costs a browser: first page, long chat, an hour of answers, first run. */
export async function measureConsole(bench: Bench): Promise<SectionResult> {
  const { instance, options } = bench;
  const browser = await openBrowser(bench);
  // The first page is the sign-in: on a server without accounts it would lead on to another one while it is measured.
  await registerUser(instance.apiUrl);
  const first = await measureFirstPage(browser, instance.apiUrl, 1);
  const slow = await measureFirstPage(browser, instance.apiUrl, SLOWER);
  const chat = await measureChat(browser, instance, {
    messages: options.consoleMessages,
    idleMs: options.consoleIdleMs,
  });
  const routeMs = await measureRouteChange(browser, instance);
  const heapMb = await measureHeap(browser, instance, options.streamedTokens);
  const runSeconds = await measureFirstRun(browser, instance.apiUrl);
  await browser.close();
  const messages = options.consoleMessages.toLocaleString('en');
  const less = (name: string, measured: number, unit: string, bound?: number): Target => ({
    name,
    measured,
    unit,
    better: 'less',
    ...(bound !== undefined && { bound }),
  });
  const targets = [
    less('console: first paint', first.paintMs, 'ms', 800),
    less('the first page can be typed into', first.usableMs, 'ms', 1_500),
    less(`the same on a processor ${SLOWER} times slower`, slow.usableMs, 'ms', 3_000),
    less(`requests at opening a chat of ${messages} messages`, chat.requestsAtOpening, '', 3),
    less('  from the click to its newest message', chat.openedMs, 'ms', 300),
    less('from one list to another that was open before', routeMs, 'ms', 100),
    less(`requests of an idle chat in ${options.consoleIdleMs / 1_000} s`, chat.requestsWhenIdle, '', 0),
    less('1,000 tokens a second: script and layout, processor time', chat.scriptShare + chat.layoutShare, '%', 25),
    less('  of which script', chat.scriptShare, '%'),
    less('  its longest task, processor time', chat.longestTaskMs, 'ms', 50),
    less('a key in the field for messages meanwhile, p95', chat.typingMs, 'ms', 16),
    less('all messages read by staying at the beginning', chat.secondsForAll, 's'),
    less('elements of the log then', chat.nodes, '', 400),
    less(`heap after ${options.streamedTokens.toLocaleString('en')} streamed tokens`, heapMb, 'MB', 150),
    less('from the first page to an answer of the demo model', runSeconds, 's', 60),
  ];
  printHeading('The console in a browser of this machine');
  printRows(targets.map(({ name, measured, unit }) => [name, figure(measured), unit]));
  return { targets };
}

/** Measures how long it takes from one list to another whose page and answers were there before; the median. */
async function measureRouteChange(browser: Browser, instance: Instance): Promise<number> {
  const { user } = await makeChat(instance, 0);
  const page = await openSignedIn(browser, instance.apiUrl, user);
  const open = async (name: 'Agents' | 'Schedules') =>
    msUntilShown(page, {
      link: page.getByRole('navigation').first().getByRole('link', { name, exact: true }),
      isShown: `document.querySelector('main h1')?.textContent === '${name}'`,
    });
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const name of ['Agents', 'Schedules'] as const) {
      const ms = await open(name);
      if (round > 0) times.push(ms);
    }
  await page.context().close();
  return quantile(times, 0.5);
}

const PASSWORD = 'correct horse battery';

/** Goes from the first page to an answer of the demo model, as somebody does who only clicks; returns the seconds. */
async function measureFirstRun(browser: Browser, apiUrl: string): Promise<number> {
  const page = await openTab(browser);
  const begin = performance.now();
  await page.goto(`${apiUrl}/register`);
  await page.getByLabel('Your name').fill('Ada Lovelace');
  await page.getByLabel('E-mail address').fill(`ada-${Date.now()}@bench.example.com`);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByRole('button', { name: /^Demo model/ }).click();
  await page.getByRole('button', { name: /^Assistant/ }).click();
  await page.getByRole('button', { name: 'What is 2+3*4?' }).click();
  await page
    .getByRole('log')
    .getByText(/\b14\b/)
    .filter({ visible: true })
    .first()
    .waitFor();
  const seconds = (performance.now() - begin) / 1_000;
  await page.context().close();
  return seconds;
}

/** How long the first page takes in a browser that has nothing of it yet, in milliseconds; medians. */
interface FirstPage {
  readonly paintMs: number;
  /** Until its first field can be typed into. */
  readonly usableMs: number;
}

const ROUNDS = 3;
/** Notes when the first field is there. */
const NOTE_USABLE = `new MutationObserver((_, observer) => {
  if (document.querySelector('main input') === null) return;
  observer.disconnect();
  globalThis.usableAt = performance.now();
}).observe(document, { childList: true, subtree: true })`;

/** Measures the first page, on a processor that is so many times slower. */
async function measureFirstPage(browser: Browser, apiUrl: string, slower: number): Promise<FirstPage> {
  const rounds: FirstPage[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const page = await openTab(browser);
    rounds.push(await measureOnce(page, apiUrl, slower));
    await page.context().close();
  }
  const median = (of: (round: FirstPage) => number) => quantile(rounds.map(of), 0.5);
  return { paintMs: median(({ paintMs }) => paintMs), usableMs: median(({ usableMs }) => usableMs) };
}

async function measureOnce(page: Page, apiUrl: string, slower: number): Promise<FirstPage> {
  const client = await page.context().newCDPSession(page);
  await client.send('Emulation.setCPUThrottlingRate', { rate: slower });
  await page.addInitScript(NOTE_USABLE);
  await page.goto(apiUrl);
  await page.locator('main input').first().waitFor();
  return page.evaluate<FirstPage>(`({
    paintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
    usableMs: usableAt,
  })`);
}

const TOKENS_OF_ANSWER = 6_000;
const TOKEN = 'word ';
const ANSWER_LIMIT_MS = 120_000;
const BYTES_OF_MB = 1_000_000;

/** Streams so many tokens into a chat, answer by answer, and returns what its page then holds, in MB. */
async function measureHeap(browser: Browser, instance: Instance, tokens: number): Promise<number> {
  const model = new ModelControl(instance.model.url);
  await model.answer({ text: answerOf(TOKENS_OF_ANSWER), chunkChars: TOKEN.length });
  const chat = await makeChat(instance, 0);
  const page = await openSignedIn(browser, instance.apiUrl, chat.user, `/chats/${chat.id}`);
  await composerOf(page).waitFor();
  for (let streamed = 0; streamed < tokens; streamed += TOKENS_OF_ANSWER) {
    const question = `go on after ${streamed}`;
    await send(page, question);
    await waitUntil('its answer', async () => isAnswered(chat, question), ANSWER_LIMIT_MS);
  }
  await model.followDirectives();
  const bytes = await heapOf(page);
  await page.context().close();
  return bytes / BYTES_OF_MB;
}

async function isAnswered({ user, id }: OwnedChat, question: string): Promise<true | undefined> {
  const { json } = await user.client.get<{ content: string }[]>(`/api/chats/${id}/messages?newest=true&limit=2`);
  return json.length === 2 && json[0]?.content === question ? true : undefined;
}

function answerOf(tokens: number): string {
  const paragraph = `${TOKEN.repeat(60).trim()}.\n\n`;
  return paragraph.repeat(Math.ceil(tokens / 60)).trim();
}

async function heapOf(page: Page): Promise<number> {
  const client = await page.context().newCDPSession(page);
  await client.send('HeapProfiler.collectGarbage');
  const { usedSize } = await client.send('Runtime.getHeapUsage');
  return usedSize;
}
