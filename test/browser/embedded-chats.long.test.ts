import { expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { describeConsoleAtWork, takeShot } from '../support/console/browsed-console.ts';
import { signInAt } from '../support/console/opened-chat.ts';
import { createAgent, createChat, createProvider, registerUser } from '../support/factories.ts';
import { waitUntil } from '../support/wait-until.ts';

const WIDTHS = [1600, 1024, 390];
const ENDED = 'Copy as Markdown';

/** Returns how much of the height of words lies within the log that holds them, in pixels. */
async function heightInSight(words: Locator, log: Locator): Promise<number> {
  const [inner, outer] = [await words.boundingBox(), await log.boundingBox()];
  if (inner === null || outer === null) return 0;
  return Math.min(inner.y + inner.height, outer.y + outer.height) - Math.max(inner.y, outer.y);
}

/** Expects words of a log to be in sight on screens of all widths. */
async function expectInSight(page: Page, log: Locator, words: string, name: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await log.scrollIntoViewIfNeeded();
    const height = await heightInSight(log.getByText(words, { exact: true }), log);
    expect([name, width, height > 10]).toEqual([name, width, true]);
    await takeShot(page, `${name}-${width}`);
  }
}

describeConsoleAtWork('a chat on the page of something else', (served) => {
  async function makeAgent() {
    const user = await registerUser(served.url);
    await createProvider(user.client, served.backend.model.url);
    return { user, agentId: await createAgent(user.client, { name: 'Lead' }) };
  }

  test('keeps the answer in sight once the turn has ended, where an agent is tried', async () => {
    const { user, agentId } = await makeAgent();
    const page = await served.open();
    await signInAt(page, `${served.url}/o/${user.orgId}/agents/${agentId}`, user);
    await page.getByRole('button', { name: 'Try it' }).click();
    const testChat = page.getByRole('region', { name: 'Try Lead' });
    const hasFocus = async () => (await page.evaluate('document.activeElement.tagName')) === 'TEXTAREA' || undefined;
    await waitUntil('the message to have the focus', hasFocus);
    await page.keyboard.type('[[say forty-two]]');
    await page.keyboard.press('Enter');
    await testChat.getByText('forty-two', { exact: true }).waitFor();
    await testChat.getByRole('button', { name: ENDED }).waitFor();
    await waitUntil('the next message to have the focus', hasFocus);
    await expectInSight(page, testChat.getByRole('log'), 'forty-two', 'try-agent');
    await page.setViewportSize({ width: 1600, height: 900 });
    // The form stays within reach beside the chat.
    await page.getByLabel('Description').fill('Leads');
    await testChat.getByRole('textbox', { name: 'Message' }).press('Escape');
    await testChat.waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('keeps the answer in sight on the page of a task that has ended', async () => {
    const { user, agentId } = await makeAgent();
    const chatId = await createChat(user.client, agentId);
    const fields = { title: 'Count', description: '[[say forty-two]]', assigned_agent_id: agentId };
    const { json: made } = await user.client.post<{ id: string }>('/api/tasks', { chat_id: chatId, ...fields });
    const page = await served.open();
    await signInAt(page, `${served.url}/o/${user.orgId}/tasks/${made.id}`, user);
    const task = page.getByRole('article', { name: 'Count' });
    await task.getByText('Completed', { exact: true }).waitFor();
    await task.getByRole('button', { name: ENDED }).waitFor();
    await expectInSight(page, task.getByRole('log'), 'forty-two', 'task-done');
    await page.context().close();
  });
});
