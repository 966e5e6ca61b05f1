import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createAgent } from '../support/factories.ts';
import { brokenRules, describeConsoleAtWork, takeShot } from '../support/console/browsed-console.ts';
import { fillTrace } from '../support/console/filled-trace.ts';
import { openChat, send, showsStored } from '../support/console/opened-chat.ts';

const rows = (page: Page) => page.getByRole('tree', { name: 'Steps of the turn' }).getByRole('treeitem');
const row = (page: Page, name: string | RegExp) => rows(page).filter({ hasText: name });
const details = (page: Page) => page.getByRole('region', { name: 'Details' });

/** Looks at a page as it is: what it breaks, and a picture for people. */
async function shoot(page: Page, name: string): Promise<void> {
  expect([name, await brokenRules(page)]).toEqual([name, []]);
  await takeShot(page, name);
}

describeConsoleAtWork('the trace of a turn in a browser', (served) => {
  test('says what happened, step by step, with the work of sub-agents and the whole of a call', async () => {
    const agent = { tools: ['agent_spawn', 'time_now', 'file_write', 'file_read'] };
    const { page, user } = await openChat(served, { agent });
    await createAgent(user.client, { name: 'Scout', tools: ['time_now'] });
    await page.setViewportSize({ width: 1440, height: 900 });
    const task = '[[think 1s]] [[tool time_now {}]] [[then]] [[say it is late]]';
    const spawn = `[[tool agent_spawn ${JSON.stringify({ agent: 'Scout', task, title: 'Find the time' })}]]`;
    const write = `[[tool file_write ${JSON.stringify({ path: 'notes.md', content: 'words '.repeat(400) })}]]`;
    const reads = '[[tool time_now {}]] '.repeat(5);
    const missing = '[[tool file_read {"path":"none.md"}]]';
    await send(page, `${spawn} ${write} [[then]] ${missing} [[then]] ${reads} [[then]] [[say All is noted.]]`);
    await showsStored(page);
    await page.getByRole('link', { name: 'Trace' }).click();
    await page.getByRole('heading', { level: 1, name: 'Trace' }).waitFor();
    await row(page, 'Scout: Find the time').waitFor();
    await page.getByText(/^\d quick reads$/).waitFor();
    await shoot(page, 'trace');

    await row(page, 'notes.md').click();
    await details(page).getByText('words words').waitFor();
    expect(page.url()).toContain('step=');
    await shoot(page, 'trace-call');
    await page.keyboard.press('e');
    await details(page).getByText('failed').waitFor();
    await details(page).getByText('none.md').first().waitFor();
    await page.keyboard.press('u');
    await page.getByText('No unknown outcome in this turn').waitFor();
    await row(page, 'quick reads').click();
    await page.getByRole('tree').focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('treeitem', { level: 2 }).nth(3).waitFor();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+End');
    await page.getByRole('status').filter({ hasText: 'Range of' }).waitFor();
    await shoot(page, 'trace-range-rows');
    await page.keyboard.press('Escape');
    await page.getByText(/^Range of/).waitFor({ state: 'detached' });
    const ruler = await page.getByRole('region', { name: 'Line of time' }).boundingBox();
    const [x, y] = [(ruler?.x ?? 0) + 20, (ruler?.y ?? 0) + 10];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 200, y, { steps: 5 });
    await page.mouse.up();
    await page.getByText(/^Range of .* working · \d+ model calls? · /).waitFor();
    await shoot(page, 'trace-range');
    await page.getByRole('button', { name: 'Clear the range' }).click();

    const shared = page.url();
    await page.goto(shared);
    await row(page, 'quick reads').waitFor();
    await row(page, 'Scout: Find the time').click();
    await page.getByRole('link', { name: 'Open its trace' }).click();
    await page.getByRole('link', { name: 'The turn above it' }).waitFor();

    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await page.getByRole('link', { name: 'Chat', exact: true }).waitFor();
    await page.goto(shared.replace(/\?.*/, ''));
    await row(page, 'notes.md').waitFor();
    await shoot(page, 'trace-phone');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await row(page, 'notes.md').click();
    await page.getByRole('dialog').getByText('words words').waitFor();
    await shoot(page, 'trace-phone-call');
  });

  test('grows while the turn runs', async () => {
    const { page, user, chatId } = await openChat(served);
    const gate = randomUUID();
    await send(page, `[[slow 9 chunks every 1ms]] [[hold ${gate} after 3 chunks]]`);
    await page.getByText('w1 w2 w3').waitFor();
    const { json } = await user.client.get<{ id: string }[]>(`/api/chats/${chatId}/turns`);
    await page.goto(`${served.url}/o/${user.orgId}/chats/${chatId}/turns/${json[0]?.id}`);
    await row(page, 'Asking a model').waitFor();
    served.backend.model.release(gate);
    await row(page, 'scripted-1').waitFor();
    await page.getByText('completed', { exact: true }).waitFor();
    expect(await row(page, 'Asking a model').count()).toBe(0);
  });

  test('scrolls through 5,000 steps with few of them in the document, and finds errors by keys', async () => {
    const opened = await openChat(served);
    const { page, user, chatId } = opened;
    await page.setViewportSize({ width: 1440, height: 900 });
    const { turnId } = await fillTrace(served.api, opened, 4_900);
    await page.goto(`${served.url}/o/${user.orgId}/chats/${chatId}/turns/${turnId}`);
    await row(page, 'Queued').waitFor();
    await page
      .getByText(/min .* s$/)
      .first()
      .waitFor();
    await shoot(page, 'trace-long');
    expect(await rows(page).count()).toBeLessThan(80);
    await page.keyboard.press('e');
    await details(page).getByText('failed').waitFor();
    await page.keyboard.press('u');
    await details(page).getByText('It may or may not have taken effect').waitFor();
    await page.evaluate(SCROLL_THROUGH);
    await row(page, 'reports/4899').waitFor();
    expect(await rows(page).count()).toBeLessThan(80);
    for (let times = 0; times < 6; times += 1) await page.keyboard.press('+');
    await shoot(page, 'trace-long-zoomed');
    await page.keyboard.press('0');
    await page.keyboard.press('Home');
  });
});

/** Scrolls from the first row to the last one, a notch each frame. */
const SCROLL_THROUGH = `new Promise((resolve) => {
  const tree = document.querySelector('[role=tree]');
  const step = () => {
    tree.scrollTop += 400;
    if (tree.scrollTop + tree.clientHeight < tree.scrollHeight - 1) requestAnimationFrame(step);
    else resolve();
  };
  requestAnimationFrame(step);
})`;
