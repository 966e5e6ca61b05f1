import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { brokenRules, describeConsoleAtWork, takeShot } from '../support/console/browsed-console.ts';
import { createAgent, createProvider, registerUser, type TestUser } from '../support/factories.ts';

describeConsoleAtWork('the pages of agents', (served) => {
  async function open(path: string, size?: { width: number; height: number }): Promise<{ user: TestUser; page: Page }> {
    const user = await registerUser(served.url);
    await createProvider(user.client, served.backend.model.url);
    const page = await served.open(size);
    await signIn(page, user, path);
    return { user, page };
  }
  async function signIn(page: Page, user: TestUser, path: string): Promise<void> {
    await page.goto(`${served.url}/o/${user.orgId}${path}`);
    await page.getByLabel('E-mail address').fill(user.email);
    await page.getByLabel('Password').fill(user.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: /agent/i }).waitFor();
  }
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

  test('make one from nothing, with a prompt and tools, and try it', async () => {
    const { user, page } = await open('/agents/new');
    await page.getByLabel('Name').fill('Clerk');
    await page.getByRole('textbox', { name: 'System prompt' }).fill('You file **papers**.');
    await page.getByRole('link', { name: 'Tools and skills' }).click();
    for (const [key, name] of [
      ['file_write', 'Write file'],
      ['time_now', 'Time'],
    ] as const) {
      await page.getByLabel('Find a tool').fill(key);
      await page.getByRole('button', { name: `Add ${name}`, exact: true }).click();
    }
    await page
      .getByRole('combobox', { name: /^When calls of .* need approval/ })
      .first()
      .click();
    await page.getByRole('option', { name: 'Always ask' }).click();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'agent-tools');
    await page.getByRole('button', { name: 'Add an agent' }).click();
    await heading(page, 'Clerk').waitFor();
    const { json: agents } = await user.client.get<{ id: string }[]>('/api/agents');
    const { json: agent } = await user.client.get<Record<string, unknown>>(`/api/agents/${agents[0]?.id}`);
    expect(agent).toMatchObject({
      name: 'Clerk',
      system_prompt: 'You file **papers**.',
      tools: ['file_write', 'time_now'],
      requires_approval: { file_write: 'always' },
    });
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'agent-editor');
    await page.getByRole('button', { name: 'Try it' }).click();
    const testChat = page.getByRole('region', { name: 'Try Clerk' });
    await testChat.getByLabel('Message').fill('say papers filed');
    await testChat.getByRole('button', { name: 'Send' }).click();
    await testChat.getByRole('log').getByText('say papers filed').first().waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'agent-try');
    await page.getByRole('link', { name: 'What the model sees' }).click();
    await page.getByText(/^The system prompt has/).waitFor();
    await page.getByText('You file **papers**.').waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'agent-seen');
    await page.context().close();
  });

  test('lose nothing when two people change one', async () => {
    const { user, page } = await open('/agents');
    const id = await createAgent(user.client, { name: 'Clerk' });
    await page.goto(`${served.url}/o/${user.orgId}/agents/${id}`);
    await page.getByLabel('Description').fill('Files papers');
    await user.client.patch(`/api/agents/${id}`, { description: 'Shreds papers' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody else has changed this in the meantime.').first().waitFor();
    expect(await page.getByLabel('Description').inputValue()).toBe('Files papers');
    await page.getByRole('button', { name: 'Overwrite with mine' }).click();
    await page.getByText('Saved').first().waitFor();
    const { json } = await user.client.get<{ description: string }>(`/api/agents/${id}`);
    expect(json.description).toBe('Files papers');
    await page.context().close();
  });

  test('delete one and bring it back', async () => {
    const { user, page } = await open('/agents');
    const id = await createAgent(user.client, { name: 'Clerk' });
    await page.goto(`${served.url}/o/${user.orgId}/agents/${id}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText('No agents yet').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'Clerk' }).waitFor();
    await page.context().close();
  });

  test('keep its memories', async () => {
    const { user, page } = await open('/agents');
    const id = await createAgent(user.client, { name: 'Clerk' });
    await page.goto(`${served.url}/o/${user.orgId}/agents/${id}/memories`);
    await page.getByRole('button', { name: 'Add a memory' }).click();
    await page.getByLabel('Content').fill('Papers are filed by date.');
    await page.getByLabel('Tags').fill('papers, order');
    await page.getByRole('dialog').getByRole('button', { name: 'Add a memory' }).click();
    await page.getByRole('rowheader', { name: 'Papers are filed by date.' }).waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'agent-memories');
    await page.getByRole('button', { name: 'Delete' }).last().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No memories yet').waitFor();
    await page.context().close();
  });

  test('fit a phone, in the dark', async () => {
    const { user, page } = await open('/agents', { width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    const id = await createAgent(user.client, { name: 'Clerk', tools: ['file_read'] });
    for (const [tab, search] of [
      ['prompt', ''],
      ['tools', '?tab=tools'],
    ] as const) {
      await page.goto(`${served.url}/o/${user.orgId}/agents/${id}${search}`);
      await heading(page, 'Clerk').waitFor();
      await page.getByRole('navigation', { name: 'Pages of the agent' }).locator('[aria-current=page]').waitFor();
      const width = await page.locator('html').evaluate((element) => element.scrollWidth);
      expect([tab, width]).toEqual([tab, 390]);
      expect(await brokenRules(page)).toEqual([]);
      await takeShot(page, `phone-agent-${tab}`);
    }
    await page.context().close();
  });
});
