import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { brokenRules, describeConsoleAtWork, takeShot } from '../support/console/browsed-console.ts';
import { fillChat } from '../support/console/filled-chat.ts';
import { composerOf, openChat, send, shows, showsStored } from '../support/console/opened-chat.ts';
import { waitUntil } from '../support/wait-until.ts';

describeConsoleAtWork('what one does with a chat in the console', (served) => {
  const more = async (page: Page, item: string) => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  test('words are found in it, from its end back to what was not read yet, and marked', async () => {
    const opened = await openChat(served);
    await fillChat(served.backend.api, opened, 260);
    const { page } = opened;
    await page.reload();
    await shows(page, 'question 260');
    await composerOf(page).focus();
    await page.keyboard.press('Control+f');
    const field = page.getByRole('searchbox', { name: 'Find in this chat' });
    await field.fill('question 26');
    await page.getByText('1 of 1, and older ones').waitFor();
    await field.press('Enter');
    await page.getByText('2 of 2').waitFor();
    await page.getByRole('log').getByText('question 26', { exact: true }).waitFor();
    expect(await page.evaluate("CSS.highlights.get('chat-found').size")).toBeGreaterThan(0);
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'chat-find');
    await field.fill('nowhere at all');
    await page.getByText('not found', { exact: true }).waitFor();
    await field.press('Escape');
    expect(await field.count()).toBe(0);
  });

  test('it is exported as Markdown with all its messages', async () => {
    const opened = await openChat(served);
    await fillChat(served.backend.api, opened, 150);
    const { page } = opened;
    await page.reload();
    await shows(page, 'question 150');
    const download = page.waitForEvent('download');
    await more(page, 'Export as Markdown');
    const saved = await download;
    expect(saved.suggestedFilename()).toBe('New Chat.md');
    const content = readFileSync(await saved.path(), 'utf8');
    expect(content.match(/^question \d+$/gm)).toHaveLength(150);
    expect(content).toContain('## Lead (');
  });

  test('a message that waits is withdrawn, changed and sent now, and a chat is forked at an answer', async () => {
    const { page, user } = await openChat(served);
    const gate = randomUUID();
    await send(page, `[[slow 9 chunks every 1ms]] [[hold ${gate} after 3 chunks]]`);
    await shows(page, 'w1 w2 w3');
    for (const words of ['[[say two]]', '[[say three]]']) await send(page, words);
    const queue = page.getByRole('list', { name: 'Queued messages' });
    await queue.getByRole('button', { name: 'Remove' }).nth(1).waitFor();
    const log = page.getByRole('log');
    const belowSight = async () =>
      log.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
    // The queue has taken height from the log, which stays at its end.
    expect(await belowSight()).toBeLessThan(5);
    await takeShot(page, 'chat-queue');
    await queue.getByRole('button', { name: 'Remove' }).first().click();
    await queue.getByText('[[say two]]').waitFor({ state: 'detached' });
    await queue.getByRole('button', { name: 'Edit', exact: true }).click();
    await send(page, '[[say four]]');
    await queue.getByText('[[say four]]').waitFor();
    await queue.getByRole('button', { name: 'Stop and send now' }).click();
    await showsStored(page, 2);
    served.backend.model.release(gate);
    await page.getByRole('log').getByText('four', { exact: true }).waitFor();
    const first = page.url();
    await page.getByRole('button', { name: 'More about this answer' }).first().click();
    await page.getByRole('menuitem', { name: 'Branch from here' }).click();
    await page.waitForURL((url) => url.href !== first);
    await showsStored(page);
    expect(await page.getByRole('log').getByText('four', { exact: true }).count()).toBe(0);
    const { json: chats } = await user.client.get<unknown[]>('/api/chats');
    expect(chats).toHaveLength(2);
  });

  test('a call that waits is shown whole, and its buttons stay within reach however long it is', async () => {
    const agent = { tools: ['file_write', 'http_request'], requires_approval: { file_write: 'always' } };
    const { page } = await openChat(served, { agent });
    const call = (name: string, args: object) => `[[tool ${name} ${JSON.stringify(args)}]]`;
    const content = `${'filler\n'.repeat(2_000)}the end`;
    const url = 'http://127.0.0.1:1/transfer-all-money';
    const calls = [
      call('file_write', { path: 'a\u202Etxt.exe', content }),
      call('http_request', { url, method: 'POST', body: { to: 'me' } }),
    ];
    await send(page, `${calls.join(' ')} [[then]] [[say so be it]]`);
    const asked = page.getByRole('region', { name: 'Requested call' });
    await asked.nth(1).waitFor();
    await asked.first().getByText('a⟨U+202E⟩txt.exe').waitFor();
    await asked
      .first()
      .getByText(`2,001 lines, ${(14_007).toLocaleString('en')} characters`)
      .waitFor();
    await page.getByText('POST 127.0.0.1:1/transfer-all-money').waitFor();
    await asked.last().getByText('"to": "me"').first().waitFor();
    const heights = await asked.evaluateAll((regions) => regions.map(({ clientHeight }) => clientHeight));
    expect(Math.max(...heights)).toBeLessThan(900);
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'chat-decision');
    await asked.last().getByRole('button', { name: 'Deny' }).click();
    await asked.nth(1).waitFor({ state: 'detached' });
    await asked.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('log').getByText('so be it', { exact: true }).waitFor();
  });

  test('a call that is higher than the log is shown from its start', async () => {
    const { page } = await openChat(served, { agent: { tools: ['http_request'] } });
    await page.setViewportSize({ width: 390, height: 520 });
    const args = { url: 'http://127.0.0.1:1/transfer', method: 'POST', body: { to: 'me', sum: 'all' } };
    await send(page, `[[tool http_request ${JSON.stringify(args)}]] [[then]] [[say so be it]]`);
    const asked = page.getByRole('region', { name: 'Requested call' });
    await asked.getByText('What it does').waitFor();
    const isAtStart = `(() => {
      const card = document.querySelector('[role=log] section[aria-label="Requested call"]');
      const [start, log] = [card.getBoundingClientRect(), card.closest('[role=log]').getBoundingClientRect()];
      return start.height > log.height && Math.abs(start.top - log.top) < 2;
    })()`;
    await waitUntil(
      'the start of the call to be in sight',
      async () => (await page.evaluate(isAtStart)) === true || undefined,
    );
    await takeShot(page, 'chat-decision-phone');
    await asked.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('log').getByText('so be it', { exact: true }).waitFor();
  });

  test('commands are run by a slash and a word, and a message is sent by the chosen key', async () => {
    const { page } = await openChat(served);
    await composerOf(page).fill('/');
    const commands = page.getByRole('listbox', { name: 'Commands' });
    const names = ['/model', '/new', '/find', '/files', '/export'];
    expect((await commands.getByRole('option').allInnerTexts()).map((words) => words.split('\n')[0])).toEqual(names);
    await takeShot(page, 'chat-commands');
    expect(await brokenRules(page)).toEqual([]);
    await composerOf(page).fill('/fi');
    await page.keyboard.press('Enter');
    await page.getByRole('searchbox', { name: 'Find in this chat' }).press('Escape');
    await more(page, 'Ctrl+Enter or ⌘+Enter');
    await send(page, '[[say one]]');
    await page.keyboard.type('[[then]]');
    expect(await composerOf(page).inputValue()).toBe('[[say one]]\n[[then]]');
    await page.keyboard.press('Control+Enter');
    await showsStored(page);
    await page.getByRole('button', { name: 'More about this answer' }).click();
    await page.getByRole('menuitem', { name: 'Exclude', exact: true }).click();
    await page.getByText('2 messages excluded').click();
    await page.getByRole('button', { name: 'Include again' }).click();
    await showsStored(page);
    await composerOf(page).fill('/new');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'New chat' }).waitFor();
  });
});
