import { afterAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { brokenRules, describeConsoleAtWork, takeShot } from '../support/console/browsed-console.ts';
import { registerUser, type TestUser } from '../support/factories.ts';
import { HostileMcpServer } from '../support/mcp/hostile-mcp-server.ts';

let mcp: HostileMcpServer | undefined;
async function startMcp(): Promise<readonly number[]> {
  mcp = await HostileMcpServer.start();
  return [mcp.port];
}
afterAll(() => mcp?.close());

function tests(served: Parameters<Parameters<typeof describeConsoleAtWork>[1]>[0]): void {
  async function open(path: string, size = { width: 1440, height: 900 }): Promise<{ user: TestUser; page: Page }> {
    const user = await registerUser(served.url);
    const page = await served.open(size);
    await page.goto(`${served.url}/o/${user.orgId}${path}`);
    await page.getByLabel('E-mail address').fill(user.email);
    await page.getByLabel('Password').fill(user.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(({ pathname }) => pathname.startsWith(`/o/${user.orgId}`));
    await page.getByRole('heading', { level: 1, name: 'MCP servers' }).waitFor();
    return { user, page };
  }

  test('add one with a secret, fetch its tools, and say why when that fails', async () => {
    const { user, page } = await open('/mcp-servers');
    await page.getByRole('button', { name: 'Add a server' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Tickets');
    await dialog.getByLabel('Address').fill(mcp?.url ?? '');
    await dialog.getByRole('combobox', { name: 'Authorization' }).click();
    await page.getByRole('option', { name: 'A token' }).click();
    await dialog.getByLabel('Token').fill('very-secret-token');
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'mcp-add');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Tickets' }).waitFor();
    await page.getByRole('button', { name: 'Fetch tools' }).click();
    await page.getByText('act', { exact: true }).waitFor();
    expect(mcp?.messages.at(-1)).toMatchObject({ headers: { authorization: 'Bearer very-secret-token' } });
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'mcp-tools');

    await page.getByRole('tab', { name: 'Settings' }).click();
    expect(await page.getByLabel('Token').inputValue()).toBe('');
    expect(await page.content()).not.toContain('very-secret-token');
    await page.getByRole('switch', { name: 'Trusted' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const { json } = await user.client.get<Record<string, unknown>[]>('/api/mcp-servers');
    expect(json).toMatchObject([{ name: 'Tickets', trusted: true, has_credentials: true, tool_count: 1 }]);
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'mcp-settings');

    if (mcp !== undefined)
      mcp.onRequest = (_request, response) => {
        response.writeHead(500).end();
        return true;
      };
    await page.getByRole('tab', { name: 'Tools' }).click();
    await page.getByRole('button', { name: 'Fetch tools' }).click();
    await page.getByText(/The tools below are from the last successful fetch/).waitFor();
    await takeShot(page, 'mcp-failed');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No MCP servers yet').waitFor();
    await page.context().close();
  });

  test('fit a phone, in the dark', async () => {
    const { user, page } = await open('/mcp-servers', { width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    const fields = { name: 'Tickets', url: 'https://mcp.example.com/mcp', description: 'Finds tickets' };
    const { json: server } = await user.client.post<{ id: string }>('/api/mcp-servers', fields);
    for (const [shot, path] of [
      ['mcp-servers', '/mcp-servers'],
      ['mcp-server', `/mcp-servers/${server.id}?tab=settings`],
    ] as const) {
      await page.goto(`${served.url}/o/${user.orgId}${path}`);
      await page.getByText('https://mcp.example.com/mcp').or(page.getByLabel('Address')).first().waitFor();
      const width = await page.locator('html').evaluate((element) => element.scrollWidth);
      expect([shot, width]).toEqual([shot, 390]);
      expect(await brokenRules(page)).toEqual([]);
      await takeShot(page, `phone-${shot}`);
    }
    await page.context().close();
  });
}

describeConsoleAtWork('the pages of MCP servers', tests, startMcp);
