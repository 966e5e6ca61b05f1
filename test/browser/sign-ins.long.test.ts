import { afterAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { installScriptedClis, type ScriptedClis } from '../support/cli/install-scripted-clis.ts';
import { brokenRules, describeConsoleAtWork, takeShot } from '../support/console/browsed-console.ts';
import { registerUser, type TestUser } from '../support/factories.ts';
import { GitlabAuthority } from '../support/gitlab-authority.ts';
import { AuthorizationServer } from '../support/mcp/authorization-server.ts';
import { HostileMcpServer } from '../support/mcp/hostile-mcp-server.ts';
import { protect } from '../support/mcp/protect.ts';
import { sharedServices } from '../support/shared-services.ts';
import { waitUntil } from '../support/wait-until.ts';

/** What people are sent back to: the api of a test is elsewhere. */
const PUBLIC_URL = 'https://everturn.example.com';
const SECRET = 'the-secret-of-the-client';

let authority: GitlabAuthority;
let authorization: AuthorizationServer;
let mcp: HostileMcpServer;
let clis: ScriptedClis | undefined;
async function startServers(): Promise<readonly number[]> {
  [authority, authorization, mcp] = await Promise.all([
    GitlabAuthority.start(),
    AuthorizationServer.start(),
    HostileMcpServer.start(),
  ]);
  protect(mcp, {
    issuer: () => authorization.issuer,
    takes: (given) => given === `Bearer ${authorization.token}`,
  });
  return [authority.port, authorization.port, mcp.port];
}
function withPrograms(): Record<string, string> {
  const { bwrap } = sharedServices();
  if ('missing' in bwrap) return {};
  clis = installScriptedClis();
  return { ...clis.settings, SANDBOX_BWRAP: bwrap.path };
}
afterAll(async () => {
  await authority.close();
  authorization.close();
  mcp.close();
  clis?.remove();
});

function tests(served: Parameters<Parameters<typeof describeConsoleAtWork>[1]>[0]): void {
  async function open(user: TestUser, path: string): Promise<Page> {
    const page = await served.open({ width: 1440, height: 900 });
    // What leads to the address that people know of the service comes to this one.
    await page.context().route(`${PUBLIC_URL}/**`, async (route) => {
      const { pathname, search } = new URL(route.request().url());
      if (pathname.startsWith('/mcp-sign-in'))
        return route.fulfill({ contentType: 'text/html', body: '<title>Signed in</title>' });
      return route.fulfill({ response: await route.fetch({ url: `${served.url}${pathname}${search}` }) });
    });
    await page.goto(`${served.url}/o/${user.orgId}${path}`);
    await page.getByLabel('E-mail address').fill(user.email);
    await page.getByLabel('Password').fill(user.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Password').waitFor({ state: 'detached' });
    return page;
  }
  /** Takes pictures of a page wide, in the dark and on a phone, in none of which a rule is broken. */
  async function checkForms(page: Page, name: string): Promise<void> {
    const check = async (form: string) => {
      await takeShot(page, form);
      expect([form, await brokenRules(page)]).toEqual([form, []]);
    };
    await check(name);
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await check(`${name}-dark`);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 390, height: 844 });
    expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([name, 390]);
    await check(`${name}-phone`);
    await page.setViewportSize({ width: 1440, height: 900 });
  }
  /** Opens a link of the page that leads elsewhere, and returns the tab with it. */
  async function follow(page: Page, name: string): Promise<Page> {
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('dialog').getByRole('link', { name }).click(),
    ]);
    await tab.waitForLoadState();
    return tab;
  }

  test('an integration is signed in with by steps, refused, too late, and done', async () => {
    const user = await registerUser(served.url);
    const credentials = { client_id: 'our-client', client_secret: SECRET };
    const body = { kind: 'gitlab', name: 'Code', base_url: authority.url, credentials };
    const { json } = await user.client.post<{ id: string }>('/api/integrations', body);
    const page = await open(user, `/integrations/${json.id}`);
    const dialog = page.getByRole('dialog');
    const begin = async () => dialog.getByRole('button', { name: 'Begin', exact: true }).click();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await dialog.getByText(`${PUBLIC_URL}/api/integrations/oauth/callback`).waitFor();
    await checkForms(page, 'sign-in-begin');
    await begin();
    await dialog.getByText('Waiting for you to finish there').waitFor();
    await dialog.getByText(/^(?:10 min|9 min \d+ s) left$/).waitFor();
    await checkForms(page, 'sign-in-steps');

    const link = await dialog.getByRole('link', { name: 'Open the page' }).getAttribute('href');
    const state = new URL(link ?? '').searchParams.get('state') ?? '';
    const refused = new URLSearchParams({ state, error: 'access_denied' });
    await fetch(`${served.url}/api/integrations/oauth/callback?${refused.toString()}`);
    await dialog.getByText('It was refused at the service').waitFor();
    await checkForms(page, 'sign-in-refused');
    await dialog.getByRole('button', { name: 'Begin again' }).click();
    await begin();
    await dialog.getByText('Waiting for you to finish there').waitFor();
    await served.api.database.system.query("update integration_sign_ins set expires_at = now() - interval '1 second'");
    await dialog.getByText('The sign-in has expired').waitFor();
    await dialog.getByRole('button', { name: 'Begin again' }).click();
    await begin();

    const tab = await follow(page, 'Open the page');
    await tab.getByText('One more step').waitFor();
    await tab.getByRole('button').click();
    await tab.getByText('You have signed in').waitFor();
    await tab.close();
    await dialog.getByText('You are signed in.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('as ada').waitFor();
    await page.getByText(/^signed in /).waitFor();
    expect(await page.content()).not.toContain(SECRET);
    await page.context().close();
  });

  test('a person signs in at an MCP server, pastes where it led to, and its tools are fetched', async () => {
    const user = await registerUser(served.url);
    const config = { oauth: { grant: 'authorization_code', scope: 'tools' } };
    const body = { name: 'Tickets', url: mcp.url, auth_type: 'oauth', config };
    const { json } = await user.client.post<{ id: string }>('/api/mcp-servers', body);
    const page = await open(user, `/mcp-servers/${json.id}`);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await dialog.getByRole('button', { name: 'Begin', exact: true }).click();
    await dialog.getByRole('link', { name: 'Open the page to sign in' }).waitFor();
    await checkForms(page, 'mcp-sign-in');
    const finish = dialog.getByRole('button', { name: 'Finish' });
    await dialog.getByLabel('Address you were redirected to').fill(`${PUBLIC_URL}/mcp-sign-in`);
    await finish.click();
    await dialog.getByText('contains no code and state').waitFor();
    const tab = await follow(page, 'Open the page to sign in');
    await tab.waitForURL(`${PUBLIC_URL}/mcp-sign-in?**`);
    await dialog.getByLabel('Address you were redirected to').fill(tab.url());
    await tab.close();
    await finish.click();
    await page.getByText('Signed in', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Fetch tools' }).click();
    await page.getByText('act', { exact: true }).waitFor();
    expect(await page.content()).not.toContain(authorization.token);
    await page.context().close();
  });

  test('a provider without keys is signed in to with a code that is asked for again, and in the end refused', async () => {
    if (clis === undefined) {
      expect(sharedServices().bwrap).toHaveProperty('missing');
      return;
    }
    const user = await registerUser(served.url);
    await waitUntil('the worker to have the programs', async () => {
      const { json } = await user.client.get<{ key: string; available: boolean }[]>('/api/providers/catalog');
      return json.some(({ key, available }) => key === 'gemini-cli' && available) || undefined;
    });
    const page = await open(user, '/providers');
    const dialog = page.getByRole('dialog');
    const code = dialog.getByLabel('Code shown on the page');
    const send = dialog.getByRole('button', { name: 'Send the code' });
    const begin = async (provider: string) => {
      await dialog.getByLabel('Provider', { exact: true }).fill(provider);
      await page.getByRole('option', { name: provider }).first().click();
      await dialog.getByRole('button', { name: 'Begin to sign in' }).click();
      await code.waitFor();
    };
    await page.getByRole('button', { name: 'Add an account' }).click();
    await begin('Claude Code');
    await checkForms(page, 'provider-sign-in');
    await code.fill('a-wrong-code');
    await send.click();
    await dialog.getByText('The sign-in has failed').waitFor();
    await checkForms(page, 'provider-sign-in-failed');
    await dialog.getByRole('button', { name: 'Begin again' }).click();
    await begin('Gemini CLI');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await begin('Gemini CLI');
    await code.fill('a-wrong-code');
    await send.click();
    await dialog.getByRole('alert').filter({ hasText: /not/ }).waitFor();
    await takeShot(page, 'provider-sign-in-again');
    await served.api.database.system.query("update provider_sign_ins set expires_at = now() - interval '1 second'");
    await dialog.getByText('The sign-in has expired').waitFor();
    await dialog.getByRole('button', { name: 'Begin again' }).click();
    await begin('Gemini CLI');
    await code.fill('good-code');
    await send.click();
    await dialog.getByText('Gemini CLI was added.').waitFor();
    await dialog.getByText(/answered in/).waitFor();
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('link', { name: 'Gemini CLI' }).waitFor();
    expect(await page.content()).not.toContain('good-code');
    await page.context().close();
  });
}

describeConsoleAtWork('signing in at other services', tests, startServers, withPrograms);
