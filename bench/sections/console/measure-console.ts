import type { Browser } from 'playwright-core';
import { registerUser } from '../../../test/support/factories.ts';
import { figure, printHeading, printRows } from '../../report/tables.ts';
import type { Target } from '../../report/target.ts';
import type { Bench, SectionResult } from '../../section.ts';
import { measureChat } from './measure-chat.ts';
import { measureFirstPage } from './measure-first-page.ts';
import { measureHeap } from './measure-heap.ts';
import { openBrowser, openTab } from './open-browser.ts';

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
    less(`requests of an idle chat in ${options.consoleIdleMs / 1_000} s`, chat.requestsWhenIdle, '', 0),
    less('1,000 tokens a second: script and layout, processor time', chat.scriptShare + chat.layoutShare, '%', 25),
    less('  of which script', chat.scriptShare, '%'),
    less('  its longest task, processor time', chat.longestTaskMs, 'ms', 50),
    less('all messages read by staying at the beginning', chat.secondsForAll, 's'),
    less('elements of the log then', chat.nodes, '', 400),
    less(`heap after ${options.streamedTokens.toLocaleString('en')} streamed tokens`, heapMb, 'MB', 150),
    less('from the first page to an answer of the demo model', runSeconds, 's', 60),
  ];
  printHeading('The console in a browser of this machine');
  printRows(targets.map(({ name, measured, unit }) => [name, figure(measured), unit]));
  return { targets };
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
  await page.getByRole('button', { name: 'Calculate 2+3*4' }).click();
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
