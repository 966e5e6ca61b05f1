import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { coolDownAccount, disableAccount } from '../../db/providers/account-condition.ts';
import { getProviderAccount } from '../../db/providers/provider-accounts.ts';
import { brokenRules, describeConsoleAtWork, takeShot } from '../support/console/browsed-console.ts';
import { createProvider, registerUser, type TestUser } from '../support/factories.ts';

const KEY = 'sk-secret-0123456789';
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

describeConsoleAtWork('the pages of models in a browser', (served) => {
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
    const toEnd = async () => page.locator('main').evaluate((main) => (main.scrollTop = main.scrollHeight));
    const check = async (form: string) => {
      await takeShot(page, form);
      // At its end nothing is half below the bar that stays in sight: that would count as a target that is too small.
      await toEnd();
      expect([form, await brokenRules(page)]).toEqual([form, []]);
    };
    await check(name);
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await check(`${name}-dark`);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 390, height: 844 });
    expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([name, 390]);
    await page.locator('main').evaluate((main) => (main.scrollTop = 0));
    await check(`${name}-phone`);
    await takeShot(page, `${name}-phone-end`);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.locator('main').evaluate((main) => (main.scrollTop = 0));
  }
  const choose = async (page: Page, label: string, words: string) => {
    await page.getByLabel(label, { exact: true }).fill(words);
    await page.getByRole('option', { name: words }).first().click();
  };

  test('an account is added once it answers, its key changed on the spot, and nothing of the key stays in the page', async () => {
    const user = await registerUser(served.api.url);
    const page = await openPage(user, '/providers');
    const { model } = served.backend;
    await page.getByText('No provider account yet').waitFor();
    await checkForms(page, 'providers-empty');
    await page.getByRole('button', { name: 'Add an account' }).click();
    const dialog = page.getByRole('dialog');
    await choose(page, 'Provider', 'Amazon Bedrock');
    await dialog.getByRole('combobox', { name: 'How it signs in' }).click();
    await page.getByRole('option', { name: 'Access key of AWS' }).click();
    await dialog.getByLabel('Access key ID').fill('AKIDEXAMPLE');
    await dialog.getByLabel('Secret access key').fill(KEY);
    await dialog.getByLabel('Base URL').fill('https://gateway.example.com');
    await checkForms(page, 'provider-add-keys');
    await dialog.getByRole('button', { name: 'Add an account' }).click();
    await dialog.getByText('must have the entry region').waitFor();
    await choose(page, 'Provider', 'Azure');
    await dialog.getByText('Replace {resource} with your own value.').waitFor();
    await takeShot(page, 'provider-add-places');
    await choose(page, 'Provider', 'OpenAI-compatible');
    await page.getByLabel('Name of the account').fill('Scripted');
    await page.getByLabel('Base URL').fill(`${model.url}/nowhere`);
    await page.getByLabel('API key').fill('sk-wrong');
    await page.getByLabel('Model', { exact: true }).fill('scripted-1');
    await page.getByRole('dialog').getByRole('button', { name: 'Add an account' }).click();
    await dialog.getByText(/^The account was not added\. Scripted /).waitFor();
    await dialog.getByRole('button', { name: 'Add without a test' }).waitFor();
    await checkForms(page, 'provider-not-added');
    await page.getByLabel('Base URL').fill(model.url);
    await page.getByLabel('API key').fill(KEY);
    await dialog.getByRole('button', { name: 'Add an account' }).click();
    await dialog.getByText(/^Scripted was added and answers\. It replaces the demo model/).waitFor();
    await checkForms(page, 'provider-added');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('link', { name: 'Scripted', exact: true }).waitFor();
    expect(await page.content()).not.toContain(KEY);
    await page.context().close();
  });

  test('accounts are seen as they are, changed, deleted and brought back, and deleted for good', async () => {
    const user = await registerUser(served.api.url);
    const { model, api } = served.backend;
    const { orgId, client } = user;
    await createProvider(client, model.url, { name: 'Working' });
    const cooling = await createProvider(client, model.url, { name: 'Resting' });
    const disabled = await createProvider(client, model.url, { name: 'Refused' });
    await coolDownAccount(api.database, { orgId, accountId: cooling, untilMs: Date.now() + 600_000 });
    const { credentials } = await withOrgTransaction(api.database, orgId, (em) => getProviderAccount(em, disabled));
    await disableAccount(api.database, { orgId, accountId: disabled, credentials, reason: 'The key was refused' });
    const dead = await createProvider(client, `${model.url}/nowhere`, { name: 'Dead' });
    await client.post(`/api/providers/${dead}/test`);
    const page = await openPage(user, '');
    await page.getByText('1 provider cannot be used').waitFor();
    await checkForms(page, 'home-failing');
    await page.getByRole('link', { name: '1 provider is failing' }).click();
    await heading(page, 'Dead').waitFor();
    await page.getByText(/^Last call failed .*: Dead /).waitFor();
    await checkForms(page, 'provider-failing');
    await page.getByRole('link', { name: 'Providers' }).first().click();
    await page.getByRole('row', { name: /^Dead/ }).getByText('failing', { exact: true }).waitFor();
    await page.getByText(/^A script that needs no key/).waitFor();
    await client.delete(`/api/providers/${dead}`);
    const row = page.getByRole('row', { name: /^Working/ });
    await row.getByRole('button', { name: 'Test' }).click();
    await row.getByText(/^scripted-1 answered in /).waitFor();
    await page.getByText(/^back in 9 min/).waitFor();
    await checkForms(page, 'providers');

    await page.getByRole('link', { name: 'Paste a new key' }).click();
    await heading(page, 'Refused').waitFor();
    await checkForms(page, 'provider');
    await page.getByLabel('Model', { exact: true }).click();
    await page.getByText(/offered\. Another name can be typed\.|It named none itself/).waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('API key').fill(KEY);
    await page.getByLabel('Name of the account').fill('Renewed');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Renewed was saved').waitFor();
    await heading(page, 'Renewed').waitFor();
    await page.getByText('The key was refused').waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(KEY);

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await heading(page, 'Providers').waitFor();
    await page.getByRole('link', { name: 'Renewed', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'Renewed', exact: true }).click();
    await page.getByRole('button', { name: 'Delete permanently' }).click();
    const dialog = page.getByRole('dialog');
    const act = dialog.getByRole('button', { name: 'Delete permanently' });
    expect(await act.getAttribute('aria-disabled')).toBe('true');
    await dialog.getByRole('textbox').fill('Renewed');
    await act.click();
    await page.getByText('Renewed was deleted permanently').waitFor();
    const left = await client.get<{ name: string }[]>('/api/providers');
    expect(left.json.map(({ name }) => name)).toEqual(['Working', 'Resting']);
    await page.context().close();
  });

  test('a chain is put in order by keys, warns of a step without an account, and is deleted', async () => {
    const user = await registerUser(served.api.url);
    await createProvider(user.client, served.backend.model.url, { name: 'Working' });
    const page = await openPage(user, '/provider-chains');
    await page.getByText('No chain yet').waitFor();
    await checkForms(page, 'chains-empty');
    await page.getByRole('link', { name: 'Add a chain' }).click();
    await heading(page, 'Add a chain').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Main');
    await choose(page, 'Provider of step 1', 'Anthropic');
    await page.getByText(/^You can see no account at this provider/).waitFor();
    await page.getByRole('button', { name: 'Add a step' }).click();
    await choose(page, 'Provider of step 2', 'OpenAI-compatible');
    await page.getByLabel('Model of step 2').fill('scripted-1');
    await page.keyboard.press('Escape');
    await page.getByRole('switch').click();
    await page.getByText('Step 2, ').waitFor();
    await checkForms(page, 'chain');
    await page.getByLabel('Model of step 2').press('Alt+ArrowUp');
    await page.getByText('Step 1, ').waitFor();
    await page.getByRole('button', { name: 'Add a chain' }).click();
    await page.getByText('Main was added').waitFor();
    await heading(page, 'Main').waitFor();
    const [stored] = (await user.client.get<Record<string, unknown>[]>('/api/providers/chains')).json;
    expect(stored).toMatchObject({
      is_default: true,
      steps: [
        { provider_type: 'openai-compatible', model_name: 'scripted-1' },
        { provider_type: 'anthropic', model_name: null },
      ],
    });
    // Somebody else changes it meanwhile.
    await user.client.patch(`/api/providers/chains/${String(stored?.['id'])}`, { is_default: false });
    await page.getByLabel('Name', { exact: true }).fill('First');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Show what is stored' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('First was saved').waitFor();
    await page.getByRole('link', { name: 'Chains' }).first().click();
    await page.getByText('1 step has no account').waitFor();
    await checkForms(page, 'chains');
    await page.getByRole('link', { name: 'First' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No chain yet').waitFor();
    await page.context().close();
  });

  test('profiles are found by the tags of the work, and are of a model or a chain', async () => {
    const user = await registerUser(served.api.url);
    const { client } = user;
    await client.post('/api/providers/chains', { name: 'Cheap first', steps: [{ provider_type: 'openai' }] });
    const page = await openPage(user, '/model-profiles');
    await page.getByText('No model profile yet').waitFor();
    await checkForms(page, 'profiles-empty');
    await page.getByRole('link', { name: 'Add a profile' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Careful');
    await page.getByText('Agents name it as profile:Careful').waitFor();
    await page.getByRole('button', { name: 'Add a profile' }).click();
    await page.getByText('a profile needs a provider_type or a provider_chain_id').waitFor();
    await choose(page, 'Provider', 'Anthropic');
    await page.getByLabel('Tags').fill('code, review');
    await checkForms(page, 'profile');
    await page.getByRole('button', { name: 'Add a profile' }).click();
    await page.getByText('Careful was added').waitFor();
    await client.post('/api/model-profiles', {
      name: 'Cheap',
      description: 'For what is asked often',
      provider_type: 'openai',
      tags: ['summary'],
    });
    await page.reload();
    await page.getByRole('link', { name: 'Cheap' }).click();
    await page.getByLabel('Who answers').click();
    await page.getByRole('option', { name: 'A chain' }).click();
    await choose(page, 'Chain', 'Cheap first');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Cheap was saved').waitFor();
    await page.getByRole('link', { name: 'Model profiles' }).first().click();
    await page.getByText('chain Cheap first').waitFor();
    await page.getByLabel('Kinds of work').fill('review, code');
    await page.getByRole('button', { name: 'Find' }).click();
    const found = page.getByRole('region', { name: 'Which profile would it be?' });
    await found.getByRole('link', { name: 'Careful' }).waitFor();
    await checkForms(page, 'profiles');
    await page.getByLabel('Kinds of work').fill('cooking');
    await page.getByRole('button', { name: 'Find' }).click();
    await found.getByText(/^No profile has any of these tags/).waitFor();
    await page.context().close();
  });
});
