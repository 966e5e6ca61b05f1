import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeConsoleAtWork } from '../support/console/browsed-console.ts';
import { fillChat } from '../support/console/filled-chat.ts';
import { logOf, openChat, send, shows, showsStored } from '../support/console/opened-chat.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Two messages each. */
const TURNS = 250;
/** Elements of the log, in which a few dozen messages are shown. */
const MOST_NODES = 400;
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
    const topOf = async () => (await log.getByText('question 451', { exact: true }).boundingBox())?.y;
    await log.evaluate((element) => element.scrollTo(0, 0));
    const before = await waitUntil('the first of them', topOf);
    await waitUntil('what is before it', async () =>
      (await log.evaluate(({ scrollTop }) => scrollTop)) > 1_000 ? true : undefined,
    );
    await waitUntil('its place', async () => (Math.abs(((await topOf()) ?? 0) - before) <= 2 ? true : undefined));
    expect(reads).toHaveLength(1);
    expect(reads[0]).toContain('limit=100');
  });

  test('opens with three requests at most, of which one is for its messages', async () => {
    const { page, user, chatId } = await openLong(200);
    await page.goto(`${served.url}/o/${user.orgId}`);
    const link = page.getByRole('main').locator(`a[href$="${chatId}"]`).first();
    await link.waitFor();
    await page.waitForLoadState('networkidle');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (['fetch', 'xhr', 'eventsource'].includes(request.resourceType())) asked.push(new URL(request.url()).pathname);
    });
    const joined = page
      .waitForEvent('websocket', (socket) => socket.url().includes(chatId))
      .then(async (socket) =>
        socket.waitForEvent('framereceived', ({ payload }) => String(payload).includes('"joined"')),
      );
    await link.click();
    await joined;
    await shows(page, 'question 200');
    await page.waitForLoadState('networkidle');
    expect(asked.filter((path) => path.endsWith('/messages'))).toHaveLength(1);
    expect(asked.length).toBeLessThanOrEqual(3);
  });

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
  });

  test('keeps few elements in the document, however much of it was read', async () => {
    const { page } = await openLong(TURNS);
    await loadAll(page);
    expect(await nodesOf(page)).toBeLessThanOrEqual(MOST_NODES);
    await scrollBy(page, 60_000);
    expect(await nodesOf(page)).toBeLessThanOrEqual(MOST_NODES);
  });

  test('is printed with all its messages, and with nothing that stands around them', async () => {
    const { page } = await openLong(TURNS);
    // Evaluated to nothing, or it would wait until the page is printed.
    await page.evaluate('void (globalThis.printed = new Promise((resolve) => { globalThis.print = resolve; }))');
    await page.getByRole('button', { name: 'More actions', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Print' }).click();
    await page.evaluate('printed.then(() => undefined)');
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await shows(page, 'question 1');
    const visible = async () => page.getByRole('button').filter({ visible: true }).count();
    await waitUntil('the buttons to be gone', async () => ((await visible()) === 0 ? true : undefined));
    expect(await page.getByRole('navigation').filter({ visible: true }).count()).toBe(0);
    expect(await page.getByRole('textbox').filter({ visible: true }).count()).toBe(0);
    expect(await page.getByRole('article').filter({ visible: true }).count()).toBe(TURNS);
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('light');
    await page.emulateMedia({ media: 'screen' });
    await waitUntil('few elements again', async () => ((await nodesOf(page)) <= MOST_NODES ? true : undefined));
    await page.context().close();
  });
});

async function nodesOf(page: Page): Promise<number> {
  return page.getByRole('log').evaluate((log) => log.querySelectorAll('*').length);
}

/** Stays at the beginning until it is that of the chat. */
async function loadAll(page: Page): Promise<void> {
  await page.evaluate(
    `globalThis.atBegin = setInterval(() => document.querySelector('[role=log]').scrollTo(0, 0), 50)`,
  );
  await page.getByRole('button', { name: 'Show older messages' }).waitFor({ state: 'detached' });
  await page.evaluate('clearInterval(atBegin)');
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
