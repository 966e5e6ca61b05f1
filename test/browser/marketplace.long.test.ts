import { expect, test } from '@jest/globals';
import { brokenRules, describeConsole, takeShot } from '../support/console/browsed-console.ts';
import { registerUser } from '../support/factories.ts';

describeConsole('the pages of the marketplace', (served) => {
  test('show what an item holds, and install it', async () => {
    const user = await registerUser(served.url);
    const page = await served.open({ width: 1440, height: 900 });
    await page.goto(`${served.url}/o/${user.orgId}/marketplace`);
    await page.getByLabel('E-mail address').fill(user.email);
    await page.getByLabel('Password').fill(user.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('table').waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'marketplace');
    await page.getByRole('link', { name: 'Code reviewer' }).click();
    await page.getByRole('heading', { level: 1, name: 'Code reviewer' }).waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'marketplace-item');
    await page.getByRole('button', { name: 'Install' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('No conflicts.').waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Install' }).click();
    await page.getByText('Code reviewer was installed').waitFor();
    const { json } = await user.client.get<{ installed: unknown }>('/api/marketplace/code-reviewer');
    expect(json.installed).not.toBeNull();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.locator('html').evaluate((element) => element.scrollWidth)).toBe(390);
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'phone-marketplace-item');
    await page.context().close();
  });
});
