import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeConsoleAtWork } from '../support/console/browsed-console.ts';
import { fillChat } from '../support/console/filled-chat.ts';
import { logOf, openChat, send, shows, showsStored } from '../support/console/opened-chat.ts';
import { watchMainThread } from '../support/console/main-thread.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Two messages each; 5,000 on demand: to read them all takes minutes. */
const TURNS = Number(process.env['EVERTURN_CHAT_TURNS'] ?? 250);
/** Some 38,000 tokens of four characters: more than is looked at. It does not end before it is stopped. */
const FAST_ANSWER = Array.from(
  { length: 600 },
  (_, part) =>
    `part ${part} of **many** with \`code\` and a [link](https://example.com/${part}), ${'words '.repeat(30)}`,
).join('\n\n');

describeConsoleAtWork('a long chat', (served) => {
  /** A chat with many turns, at its end. */
  async function openLong(turns: number) {
    const opened = await openChat(served);
    await fillChat(served.backend.api, opened, turns);
    await opened.page.reload();
    await shows(opened.page, `question ${turns}`);
    return opened;
  }

  test('opens at its end, and keeps the place while older messages are read', async () => {
    const { page } = await openLong(500);
    const log = page.getByRole('log');
    expect(await log.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight)).toBe(0);
    const reads: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('before=')) reads.push(request.url());
    });
    const placeOf = async () => (await log.getByText('question 451', { exact: true }).boundingBox())?.y;
    await log.evaluate((element) => element.scrollTo(0, 0));
    const before = await waitUntil('the first of them', placeOf);
    await waitUntil('what is before it', async () =>
      (await log.evaluate(({ scrollTop }) => scrollTop)) > 1_000 ? true : undefined,
    );
    await waitUntil('its place', async () => (Math.abs(((await placeOf()) ?? 0) - before) <= 2 ? true : undefined));
    expect(reads).toHaveLength(1);
    expect(reads[0]).toContain('limit=100');
  }, 60_000);

  test('marks what is unread since the last visit, and not what one has seen come', async () => {
    const opened = await openLong(3);
    const { page, user, chatId } = opened;
    await page.goto('about:blank');
    await user.client.post(`/api/chats/${chatId}/stream`, { content: '[[say come meanwhile]]' });
    await page.goto(`${served.url}/o/${user.orgId}/chats/${chatId}`);
    await shows(page, 'come meanwhile');
    const divider = page.getByRole('separator');
    await divider.waitFor();
    const text = await logOf(page);
    expect(text.indexOf('New since your last visit')).toBeGreaterThan(text.indexOf('answer 3'));
    await page.reload();
    await shows(page, 'come meanwhile');
    await send(page, '[[say seen to come]]');
    await showsStored(page, 5);
    expect(await divider.count()).toBe(0);
  }, 60_000);

  test('prints what scrolling through it, and a fast answer in it, cost', async () => {
    const { page } = await openLong(TURNS);
    const loadedMs = await loadAll(page);
    const scrolling = await measure(page, async () => scrollBy(page, 60_000));
    const nodes = await nodesOf(page);
    expect(nodes).toBeLessThanOrEqual(400);
    await page.getByRole('log').evaluate((log) => log.scrollTo(0, log.scrollHeight));
    const hold = { after: 30_000, gate: 'the end' };
    served.backend.model.script({ kind: 'answer', text: FAST_ANSWER, pieceChars: 4, everyMs: 1, hold });
    await send(page, 'go');
    await shows(page, 'part 10 ');
    const streaming = await measure(page, async () => page.waitForTimeout(6_000));
    process.stdout.write(`console: all of ${2 * TURNS} messages read in ${(loadedMs / 1_000).toFixed(1)} s\n`);
    process.stdout.write(`console: scrolling through them ${scrolling}, ${nodes} nodes\n`);
    process.stdout.write(`console: 1,000 tokens a second ${streaming}\n`);
    served.backend.model.script(null);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
  }, 600_000);
});

async function nodesOf(page: Page): Promise<number> {
  return page.getByRole('log').evaluate((log) => log.querySelectorAll('*').length);
}

/** Stays at the beginning until it is that of the chat. */
async function loadAll(page: Page): Promise<number> {
  const begin = performance.now();
  await page.evaluate(
    `globalThis.atBegin = setInterval(() => document.querySelector('[role=log]').scrollTo(0, 0), 50)`,
  );
  await page.getByRole('button', { name: 'Show older messages' }).waitFor({ state: 'detached', timeout: 300_000 });
  await page.evaluate('clearInterval(atBegin)');
  return performance.now() - begin;
}

/** Scrolls down by so many pixels, as a wheel does, a notch each frame. */
async function scrollBy(page: Page, pixels: number): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const log = document.querySelector('[role=log]');
    let left = ${pixels};
    const step = () => {
      log.scrollBy(0, 100);
      left -= 100;
      if (left > 0) requestAnimationFrame(step);
      else resolve();
    };
    requestAnimationFrame(step);
  })`);
}

const WATCH = `(() => {
  globalThis.frames = [];
  let last = performance.now();
  const tick = (now) => {
    frames.push(now - last);
    last = now;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
})()`;

/** Returns what a piece of work cost the page: its frames, and what share of the main thread. */
async function measure(page: Page, work: () => Promise<void>): Promise<string> {
  await page.evaluate(WATCH);
  const { wallMs, scriptMs, layoutMs, tasksMs } = await watchMainThread(page, work);
  const frames = await page.evaluate<number[]>('frames');
  const ordered = frames.toSorted((a, b) => a - b);
  const at = (share: number) => (ordered[Math.floor(ordered.length * share)] ?? 0).toFixed(1);
  const share = (ms: number) => ((ms / wallMs) * 100).toFixed(1);
  return [
    `frames p50 ${at(0.5)} p95 ${at(0.95)} p99 ${at(0.99)} ms`,
    `processor time: script ${share(scriptMs)} % and layout ${share(layoutMs)} %`,
    `the longest task ${(tasksMs[0] ?? 0).toFixed(0)} ms`,
  ].join(', ');
}
