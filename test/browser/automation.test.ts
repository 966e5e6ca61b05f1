import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { brokenRules, describeConsoleAtWork, takeShot } from '../support/console/browsed-console.ts';
import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { waitUntil } from '../support/wait-until.ts';

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

describeConsoleAtWork('automation in the console', (served) => {
  interface Opened {
    readonly user: TestUser;
    readonly agentId: string;
    readonly page: Page;
  }
  /** A page of a new user, who has an agent that asks before it writes. */
  async function openPage(path: string): Promise<Opened> {
    const user = await registerUser(served.api.url);
    await createProvider(user.client, served.backend.model.url);
    const agentId = await createAgent(user.client, {
      name: 'Careful',
      tools: ['file_write', 'file_delete'],
      requires_approval: { '*': 'writes' },
    });
    const page = await served.open({ width: 1440, height: 900 });
    await page.goto(`${served.api.url}/o/${user.orgId}${path}`);
    await page.getByLabel('E-mail address').fill(user.email);
    await page.getByLabel('Password').fill(user.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    return { user, agentId, page };
  }
  /** Takes pictures of a page in its three forms, none of which breaks a rule or is wider than the screen. */
  async function checkForms(page: Page, name: string): Promise<void> {
    expect([name, await brokenRules(page)]).toEqual([name, []]);
    await takeShot(page, name);
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    expect([name, await brokenRules(page)]).toEqual([name, []]);
    await takeShot(page, `${name}-dark`);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 390, height: 844 });
    expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([name, 390]);
    expect([name, await brokenRules(page)]).toEqual([name, []]);
    await takeShot(page, `${name}-phone`);
    await page.setViewportSize({ width: 1440, height: 900 });
  }
  /** Lets the agent ask for a decision in a chat of its own, and waits until it does. */
  async function ask({ user, agentId }: Opened, path: string): Promise<string> {
    const chatId = await createChat(user.client, agentId);
    const call = `[[tool file_write ${JSON.stringify({ path, content: '# Report\n\nSales rose.' })}]] [[then]] [[say done]]`;
    // Its stream ends with the chat's turn, which nobody here waits for.
    user.client.post(`/api/chats/${chatId}/stream`, { content: call }).catch(() => undefined);
    return waitUntil('the decision', async () => {
      const { json } = await user.client.get<{ chat_id: string; id: string }[]>('/api/approvals?status=pending');
      return json.find((approval) => approval.chat_id === chatId)?.id;
    });
  }

  test('a call that waits is counted on every page, and approved by keys', async () => {
    const opened = await openPage('/inbox');
    const { page, user } = opened;
    await page.getByText('Nothing waits for you').waitFor();
    await checkForms(page, 'inbox-empty');
    const ids = [await ask(opened, 'plan.md'), await ask(opened, 'report.md')];
    await page.reload();
    await page.getByRole('region', { name: /report\.md/ }).waitFor();
    expect(await page.title()).toBe('(2) Inbox · Everturn');
    await checkForms(page, 'inbox');
    await page.getByRole('link', { name: /plan\.md/ }).click();
    await page.setViewportSize({ width: 390, height: 844 });
    await takeShot(page, 'inbox-open-phone');
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press('y');
    await page.getByRole('dialog', { name: 'Approve this?' }).waitFor();
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('Go on');
    await takeShot(page, 'inbox-decision');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.getByRole('link', { name: /plan\.md/ }).count()).toBe(0);
    await page.keyboard.press('n');
    await page.getByRole('dialog', { name: 'Deny this?' }).getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Nothing waits for you').waitFor();
    const statuses = await Promise.all(
      ids.map(async (id) => (await user.client.get<{ status: string }>(`/api/approvals/${id}`)).json.status),
    );
    expect(statuses).toEqual(['approved', 'denied']);
    await page.getByRole('tab', { name: 'Decided' }).click();
    await page.getByRole('region', { name: /report\.md/ }).waitFor();
    await checkForms(page, 'inbox-decided');
    await heading(page, 'Inbox').waitFor();
  }, 120_000);
});
