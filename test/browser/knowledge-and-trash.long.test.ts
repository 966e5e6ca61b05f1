import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { brokenRules, describeConsoleAtWork, takeShot } from '../support/console/browsed-console.ts';
import { makeDocx, makePdf, PICTURE } from '../support/documents/index.ts';
import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../support/factories.ts';

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

describeConsoleAtWork('knowledge bases and the trash in a browser', (served) => {
  async function openPage(user: TestUser, path: string): Promise<Page> {
    const page = await served.open({ width: 1440, height: 900 });
    await page.goto(`${served.api.url}/o/${user.orgId}${path}`);
    await page.getByLabel('E-mail address').fill(user.email);
    await page.getByLabel('Password').fill(user.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    return page;
  }
  /** Takes pictures of a page in its three forms, none of which breaks a rule or is wider than the screen. */
  async function checkForms(page: Page, name: string): Promise<void> {
    const forms = [
      { form: '', colorScheme: 'light', width: 1440, height: 900 },
      { form: '-dark', colorScheme: 'dark', width: 1440, height: 900 },
      { form: '-phone', colorScheme: 'light', width: 390, height: 844 },
    ] as const;
    for (const { form, colorScheme, ...size } of forms) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      // A colour that is changing is neither that of before nor that of after.
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
      await page.evaluate('Promise.allSettled(document.getAnimations().map((each) => each.finished))');
      await takeShot(page, name + form);
      expect([name + form, await brokenRules(page)]).toEqual([name + form, []]);
      expect([name + form, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([
        name + form,
        size.width,
      ]);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  }

  test('a base is made, filled, searched, changed and deleted', async () => {
    const user = await registerUser(served.api.url);
    const page = await openPage(user, '/knowledge-bases');
    await page.getByText('No knowledge base yet').waitFor();
    await checkForms(page, 'knowledge-empty');
    await page.getByRole('button', { name: 'Add a knowledge base' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Handbook');
    await dialog.getByLabel('Description').fill('How we work, and what is refunded.');
    await dialog.getByLabel('Search by meaning').fill('off');
    await page.keyboard.press('Escape');
    await checkForms(page, 'knowledge-new');
    await dialog.getByRole('button', { name: 'Add a knowledge base' }).click();
    await heading(page, 'Handbook').waitFor();
    await page.getByText('No document yet').waitFor();

    await page.getByLabel('Choose files').setInputFiles([
      { name: 'trips.pdf', mimeType: 'application/pdf', buffer: makePdf(['Trains are booked by the office.']) },
      { name: 'notes.docx', mimeType: '', buffer: makeDocx(['Tea is at four.']) },
      { name: 'picture.png', mimeType: 'image/png', buffer: PICTURE },
    ]);
    const fileRow = (name: RegExp) => page.getByRole('row', { name });
    for (const name of [/^trips\.pdf/, /^notes\.docx/])
      await fileRow(name).getByText('ready', { exact: true }).waitFor();
    await page.getByText(/can be added, not files of the type image\/png/).waitFor();
    await checkForms(page, 'knowledge-uploads');
    await page.getByRole('button', { name: 'Remove picture.png' }).click();

    await page.getByRole('button', { name: 'Add a document' }).click();
    await dialog.getByLabel('Text').fill('# Expenses\n\nMeals are refunded up to 40 euros a day.');
    await dialog.getByLabel('Tags').fill('money, travel');
    await checkForms(page, 'knowledge-document-new');
    await dialog.getByRole('button', { name: 'Add a document' }).click();
    await fileRow(/^Expenses/)
      .getByText('ready', { exact: true })
      .waitFor();
    // Nothing is at this address, so that the reason is shown.
    await page.getByRole('button', { name: 'Add a document' }).click();
    await dialog.getByRole('combobox', { name: 'What is added' }).click();
    await page.getByRole('option', { name: 'The address of a page' }).click();
    await dialog.getByLabel('Address').fill('http://127.0.0.1:9/');
    await dialog.getByRole('button', { name: 'Add a document' }).click();
    await page.getByText('failed', { exact: true }).waitFor();
    await checkForms(page, 'knowledge-documents');

    await page.getByRole('tab', { name: 'Search' }).click();
    await page.getByLabel('Search for').fill('what is refunded');
    await page.keyboard.press('Enter');
    await page.getByText('Meals are refunded up to 40 euros a day.').waitFor();
    await checkForms(page, 'knowledge-search');
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Staff handbook');
    await page.getByRole('button', { name: 'Save' }).click();
    await heading(page, 'Staff handbook').waitFor();
    await checkForms(page, 'knowledge-settings');
    await page.getByRole('link', { name: 'Knowledge bases' }).last().click();
    await page.getByText('4 documents').waitFor();
    await checkForms(page, 'knowledge');

    await page.getByRole('link', { name: 'Staff handbook' }).click();
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Delete permanently' }).click();
    await dialog.getByRole('textbox').fill('Staff handbook');
    await dialog.getByRole('button', { name: 'Delete permanently' }).click();
    await page.getByText('No knowledge base yet').waitFor();
    expect((await user.client.get('/api/knowledge-bases')).json).toEqual([]);
    await page.context().close();
  });

  test('what was deleted is brought back, and an account is deleted for good', async () => {
    const user = await registerUser(served.api.url);
    const { client } = user;
    const agentId = await createAgent(client, { name: 'Careful' });
    const chatId = await createChat(client, agentId);
    const accountId = await createProvider(client, served.backend.model.url, { name: 'Old key' });
    const page = await openPage(user, '/trash');
    await page.getByText('No deleted chats').waitFor();
    await checkForms(page, 'trash-empty');
    for (const path of [`chats/${chatId}`, `agents/${agentId}`, `providers/${accountId}`])
      expect((await client.delete(`/api/${path}`)).status).toBe(204);
    await page.getByText('New Chat').waitFor();
    await checkForms(page, 'trash');
    await page.getByRole('button', { name: 'Restore New Chat' }).click();
    await page.getByText('No deleted chats').waitFor();
    await page.getByRole('tab', { name: 'Provider accounts' }).click();
    await page.getByRole('row', { name: /^Old key/ }).waitFor();
    await checkForms(page, 'trash-providers');
    await page.getByRole('button', { name: 'Delete permanently: Old key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('Old key');
    await dialog.getByRole('button', { name: 'Delete permanently' }).click();
    await page.getByText('No deleted provider accounts').waitFor();
    await page.getByRole('tab', { name: 'Agents' }).click();
    await page.getByRole('button', { name: 'Restore Careful' }).click();
    await page.getByText('No deleted agents').waitFor();
    expect(new URL(page.url()).search).toBe('?of=agents');
    await page.getByRole('dialog').filter({ hasText: 'Careful' }).getByRole('button', { name: 'Open' }).click();
    await heading(page, 'Careful').waitFor();
    await page.context().close();
  });
});
