import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { brokenRules, describeConsole, takeShot } from '../support/console/browsed-console.ts';
import { registerUser, type TestUser } from '../support/factories.ts';

describeConsole('the pages of integrations', (served) => {
  async function open(size = { width: 1440, height: 900 }): Promise<{ user: TestUser; page: Page }> {
    const user = await registerUser(served.url);
    const page = await served.open(size);
    await page.goto(`${served.url}/o/${user.orgId}/integrations`);
    await page.getByLabel('E-mail address').fill(user.email);
    await page.getByLabel('Password').fill(user.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Integrations' }).waitFor();
    return { user, page };
  }

  test('add one by its kind with a secret that never comes back, change it, delete it', async () => {
    const { user, page } = await open();
    await page.getByRole('button', { name: 'Add an integration' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Service').fill('GitLab');
    await page.getByRole('option', { name: 'GitLab' }).click();
    await dialog.getByLabel('Token', { exact: true }).fill('very-secret-token');
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'integration-add');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'GitLab' }).waitFor();
    expect(await page.getByLabel('Token', { exact: true }).inputValue()).toBe('');
    expect(await page.content()).not.toContain('very-secret-token');
    await page.getByLabel('Address').fill('https://gitlab.example.com');
    await page.getByLabel('Token', { exact: true }).fill('another-token');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'integration');
    const { json } = await user.client.get('/api/integrations');
    expect(json).toMatchObject([
      { kind: 'gitlab', base_url: 'https://gitlab.example.com', credential_fields: ['token'] },
    ]);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No integrations yet').waitFor();
    await page.context().close();
  });

  test('fit a phone, in the dark', async () => {
    const { user, page } = await open({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    const body = { kind: 'github', name: 'GitHub', credentials: { token: 'a-token' } };
    const { json } = await user.client.post<{ id: string }>('/api/integrations', body);
    for (const [shot, path] of [
      ['integrations', '/integrations'],
      ['integration', `/integrations/${json.id}`],
    ] as const) {
      await page.goto(`${served.url}/o/${user.orgId}${path}`);
      await page.getByText('not tested').waitFor();
      const width = await page.locator('html').evaluate((element) => element.scrollWidth);
      expect([shot, width]).toEqual([shot, 390]);
      expect(await brokenRules(page)).toEqual([]);
      await takeShot(page, `phone-${shot}`);
    }
    await page.context().close();
  });
});
