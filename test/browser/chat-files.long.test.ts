import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { brokenRules, describeConsoleAtWork, takeShot } from '../support/console/browsed-console.ts';
import { composerOf, openChat, send, showsStored } from '../support/console/opened-chat.ts';
import { pngOf } from '../support/picture.ts';

describeConsoleAtWork('files of a chat in the console', (served) => {
  const attach = async (page: Page, files: { name: string; mimeType: string; buffer: Buffer }[]) =>
    page.locator('input[type=file]').setInputFiles(files);
  const text = (name: string, content: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });
  const attached = (page: Page) => page.getByRole('list', { name: 'Files of the message' });

  test('are chosen, dropped and pasted, sent with the message, and shown with it', async () => {
    const opened = await openChat(served);
    const { page, user, chatId } = opened;
    const png = pngOf(60, 40);
    await attach(page, [text('notes.txt', 'Some notes.'), { name: 'sky.png', mimeType: 'image/png', buffer: png }]);
    await attached(page).getByText('11 B').waitFor();
    await hand(page, 'drop', 'dropped.txt', 'dropped words');
    await attached(page).getByText('13 B').waitFor();
    await hand(page, 'paste', 'pasted.txt', 'words');
    await attached(page).getByText('5 B').waitFor();
    await page.getByRole('button', { name: 'Remove pasted.txt' }).click();
    // What is attached survives a reload, as the draft does.
    await page.reload();
    await attached(page).getByText('notes.txt').waitFor();
    await send(page, '[[say thank you]]');
    await showsStored(page);
    const log = page.getByRole('log');
    await log.getByText('dropped.txt').waitFor();
    await log.locator('img').waitFor();
    expect(await log.locator('img').evaluate((image) => (image as unknown as { src: string }).src)).toMatch(/^blob:/);
    expect(await attached(page).count()).toBe(1);
    const messages = await user.client.get<{ file_ids: string[] }[]>(`/api/chats/${chatId}/messages`);
    expect(messages.json[0]?.file_ids).toHaveLength(3);
    const { json: files } = await user.client.get<{ name: string }[]>(`/api/chats/${chatId}/files`);
    expect(files.map(({ name }) => name).toSorted()).toEqual(['dropped.txt', 'notes.txt', 'sky.png']);
    await takeShot(page, 'chat-files');
  });

  test('say why one was not taken, and keep the message from being sent without it', async () => {
    const { page } = await openChat(served);
    await page.route('**/files', async (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 409, json: { detail: 'The organization has no room' } })
        : route.continue(),
    );
    await attach(page, [text('notes.txt', 'Some notes.')]);
    await page.getByText('not uploaded: The organization has no room').waitFor();
    await composerOf(page).fill('about these');
    await page.keyboard.press('Enter');
    expect(await composerOf(page).inputValue()).toBe('about these');
    await page.unroute('**/files');
    await attached(page).getByRole('button', { name: 'Retry' }).click();
    await attached(page).getByText('11 B').waitFor();
    await attach(
      page,
      Array.from({ length: 21 }, (_, index) => text(`${index}.txt`, 'x')),
    );
    await page.getByText('A message can have 20 files: 2 files were left out.').first().waitFor();
  });

  test('take the place of a long text that is pasted', async () => {
    const { page } = await openChat(served);
    await composerOf(page).fill('Compare this: ');
    await paste(page, 'long line\n'.repeat(1_000));
    await page.getByText('You pasted 10,000 characters.').waitFor();
    await page.getByRole('button', { name: 'Attach as a file instead' }).click();
    await attached(page).getByText('pasted text.txt').waitFor();
    expect(await composerOf(page).inputValue()).toBe('Compare this:');
  });

  test('are listed beside the chat with the workspace of its agents, shown, saved and deleted', async () => {
    const { page } = await openChat(served, { agent: { tools: ['file_write'] } });
    await attach(page, [text('notes.txt', 'Some notes.')]);
    await attached(page).getByText('11 B').waitFor();
    const call = { path: 'reports/first.md', content: '# First\n\nof **many**' };
    await send(page, `[[tool file_write ${JSON.stringify(call)}]] [[then]] [[say written]]`);
    await showsStored(page);
    await page.getByRole('button', { name: 'Steps, files and details' }).click();
    const panel = page.getByRole('complementary', { name: 'About this chat' });
    await panel.getByText('file_write').first().waitFor();
    await panel.getByRole('tab', { name: 'Files' }).click();
    await panel.getByRole('button', { name: 'reports' }).click();
    await panel.getByRole('button', { name: 'first.md', exact: true }).click();
    await panel.getByRole('heading', { name: 'First', exact: true }).waitFor();
    const download = page.waitForEvent('download');
    await panel.getByRole('button', { name: 'Download first.md' }).click();
    expect(readFileSync(await (await download).path(), 'utf8')).toBe(call.content);
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'chat-panel');
    await panel.getByRole('button', { name: 'Back to files' }).click();
    await panel.getByRole('button', { name: 'Delete notes.txt' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await panel.getByText('No attachments yet.').waitFor();
    await panel.getByRole('tab', { name: 'Details' }).click();
    await panel.getByText('scripted-1').waitFor();
  });

  test('are in a sheet on a phone', async () => {
    const { page } = await openChat(served);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await attach(page, [text('a long name of a file that does not fit.txt', 'Some notes.')]);
    await attached(page).getByText('11 B').waitFor();
    await page.getByRole('button', { name: 'Steps, files and details' }).click();
    const sheet = page.getByRole('dialog', { name: 'About this chat' });
    await sheet.getByRole('tab', { name: 'Files' }).click();
    await sheet.getByText('No files written yet.').waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'chat-panel-phone');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });
});

/** Hands a file to the composer, as the browser does when one is dropped on it, or pasted into it. */
async function hand(page: Page, how: 'drop' | 'paste', name: string, content: string): Promise<void> {
  await dispatch(
    page,
    how,
    `data.items.add(new File([${JSON.stringify(content)}], '${name}', { type: 'text/plain' }))`,
  );
}

/** Pastes a text, as far as scripts can: the composer is told, and the text is inserted. */
async function paste(page: Page, words: string): Promise<void> {
  await dispatch(page, 'paste', `data.setData('text/plain', ${JSON.stringify(words)})`);
  await page.keyboard.insertText(words);
}

async function dispatch(page: Page, how: 'drop' | 'paste', fill: string): Promise<void> {
  await page.evaluate(`(() => {
    const data = new DataTransfer();
    ${fill};
    const field = document.querySelector('textarea');
    field.focus();
    const options = { bubbles: true, cancelable: true };
    if ('${how}' === 'paste') {
      field.dispatchEvent(new ClipboardEvent('paste', { ...options, clipboardData: data }));
    } else {
      for (const type of ['dragenter', 'dragover', 'drop'])
        field.dispatchEvent(new DragEvent(type, { ...options, dataTransfer: data }));
    }
  })()`);
}
