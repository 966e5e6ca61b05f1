import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startApiProcess } from '../support/api-process.ts';
import { brokenRules, describeConsoleAtWork, takeShot } from '../support/console/browsed-console.ts';
import { builtConsole } from '../support/console/built-console.ts';
import { composerOf, openChat, signInAt } from '../support/console/opened-chat.ts';
import { createAgent, registerUser } from '../support/factories.ts';
import { registerColleague } from '../support/people.ts';

describeConsoleAtWork('bad luck on any page of the console', (served) => {
  const nameOf = (page: Page) => page.getByLabel('Your name');
  const save = (page: Page) => page.getByRole('button', { name: 'Save' }).first();
  const settings = (url: string, orgId: string) => `${url}/o/${orgId}/settings`;

  test('a server that dies under a form leaves the text, says that it tries again, and takes it once it is back', async () => {
    const { databaseUrl, temporalAddress } = served.backend;
    const options = { temporalAddress, consoleDir: await builtConsole() };
    const first = await startApiProcess(databaseUrl, options);
    const user = await registerUser(first.url);
    const page = await served.open();
    await signInAt(page, settings(first.url, user.orgId), user);
    await nameOf(page).fill('Ada King');
    await first.kill();
    await save(page).click();
    await page.getByText('The server cannot be reached', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByRole('button', { name: 'Leave, keep the draft' }).click();
    // The page has not been shown yet: its file is away with the server.
    await page.getByRole('heading', { level: 1, name: 'The server cannot be reached' }).waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'server-gone');
    const second = await startApiProcess(databaseUrl, { ...options, port: Number(new URL(first.url).port) });
    await page.getByText('No chats yet').first().waitFor();
    await page.goBack();
    expect(await nameOf(page).inputValue()).toBe('Ada King');
    await save(page).click();
    await page.getByText('Saved').first().waitFor();
    await page.close();
    await second.kill();
  });

  test('a slow server shows where its answer will be, and lets one go elsewhere', async () => {
    const user = await registerUser(served.url);
    await createAgent(user.client, { name: 'Slowly read' });
    const page = await served.open();
    const gate = Promise.withResolvers<void>();
    await page.route(/\/api\/agents(?:\?|$)/, async (route) => {
      await gate.promise;
      await route.continue().catch(() => undefined);
    });
    await signInAt(page, `${served.url}/o/${user.orgId}/agents`, user);
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
    await page.getByRole('status', { name: 'Loading' }).first().waitFor();
    await page.getByRole('link', { name: 'Trash' }).click();
    await page.getByRole('heading', { level: 1, name: 'Trash' }).waitFor();
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    gate.resolve();
    await page.getByText('Slowly read').first().waitFor();
  });

  test('a page whose file is gone since an update says so, and a reload goes on with what was typed', async () => {
    const { page, user, chatId } = await openChat(served);
    await composerOf(page).fill('half a thought');
    await page.route('**/assets/*', async (route) => route.fulfill({ status: 404, json: { detail: 'Not found' } }));
    await page.getByRole('link', { name: 'Trash' }).click();
    await page.getByRole('heading', { level: 1, name: 'Everturn was updated' }).waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'updated');
    await page.unroute('**/assets/*');
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { level: 1, name: 'Trash' }).waitFor();
    await page.goto(`${served.url}/o/${user.orgId}/chats/${chatId}`);
    expect(await composerOf(page).inputValue()).toBe('half a thought');
  });

  test('two people who edit one agent see what the other has stored before anything is overwritten', async () => {
    const owner = await registerUser(served.url);
    const admin = await registerColleague(served.backend.api, owner, 'admin');
    const agentId = await createAgent(owner.client, { name: 'Shared', description: 'as it was' });
    const pages = [];
    for (const person of [owner, admin]) {
      const page = await served.open();
      // What one saves would be read by the other at once, and nothing be left to collide.
      await page.routeWebSocket('**/ws/events', () => undefined);
      await signInAt(page, `${served.url}/o/${owner.orgId}/agents/${agentId}`, person);
      await page.getByLabel('Description').fill(`of the ${person === owner ? 'owner' : 'admin'}`);
      pages.push(page);
    }
    const [ours, theirs] = pages as [Page, Page];
    await save(theirs).click();
    await theirs.getByText('Saved').first().waitFor();
    await save(ours).click();
    await ours.getByText('Somebody else has changed this in the meantime.').first().waitFor();
    expect(await ours.getByLabel('Description').inputValue()).toBe('of the owner');
    await ours.getByRole('button', { name: 'Show what is stored' }).click();
    await ours.getByText('Changed by somebody else to: of the admin').waitFor();
    await save(ours).click();
    await ours.getByText('Saved').first().waitFor();
    const { json } = await owner.client.get<{ description: string }>(`/api/agents/${agentId}`);
    expect(json.description).toBe('of the owner');
  });

  test('a right that is taken away closes what it showed, without a reload', async () => {
    const owner = await registerUser(served.url);
    const member = await registerColleague(served.backend.api, owner, 'member');
    await createAgent(owner.client, { name: 'Seen until now' });
    const { json: group } = await owner.client.post<{ id: string }>('/api/permissions/groups', {
      name: 'Readers',
      permissions: ['agents.view', 'ui.advanced_mode'],
    });
    await owner.client.send('PUT', `/api/permissions/groups/${group.id}/members`, { user_ids: [member.id] });
    const page = await served.open();
    const isNotified = new Promise((resolve) => {
      page.on('websocket', (socket) => {
        if (socket.url().includes('/ws/events')) socket.on('framereceived', resolve);
      });
    });
    await signInAt(page, `${served.url}/o/${owner.orgId}/agents`, member);
    await page.getByText('Seen until now').waitFor();
    await isNotified;
    await owner.client.patch(`/api/permissions/groups/${group.id}`, { permissions: ['ui.advanced_mode'] });
    await page.getByText('You do not have the permission for this.').first().waitFor();
    expect(await page.getByText('Seen until now').count()).toBe(0);
    await page.getByRole('link', { name: 'Agents' }).waitFor({ state: 'detached' });
  });
});
