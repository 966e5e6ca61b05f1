import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { brokenRules, describeConsoleAtWork, takeShot } from '../support/console/browsed-console.ts';
import { registerUser, type TestUser } from '../support/factories.ts';

const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

interface Shown {
  readonly id: string;
  readonly key: string;
}

describeConsoleAtWork('the pages of what agents are made of', (served) => {
  async function open(path: string, size = WIDE): Promise<{ user: TestUser; page: Page }> {
    const user = await registerUser(served.url);
    const page = await served.open(size);
    await page.goto(`${served.url}/o/${user.orgId}${path}`);
    await page.getByLabel('E-mail address').fill(user.email);
    await page.getByLabel('Password').fill(user.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(({ pathname }) => pathname.startsWith(`/o/${user.orgId}`));
    await page.getByRole('heading', { level: 1 }).waitFor();
    return { user, page };
  }
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
  async function write(page: Page, text: string): Promise<void> {
    await page.getByRole('textbox', { name: 'Content of the file' }).focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(text);
  }
  const dialog = (page: Page) => page.getByRole('dialog');

  test('add a skill, change its files, and bring it back from its archive', async () => {
    const { user, page } = await open('/skills');
    await page.getByRole('table').waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'skills');
    await page.getByRole('button', { name: 'Add a skill' }).click();
    await dialog(page).getByLabel('Key').fill('release_notes');
    await dialog(page).getByLabel('Name').fill('Release notes');
    await dialog(page).getByLabel('Description').fill('How we write release notes.');
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await heading(page, 'Release notes').waitFor();
    await write(page, '---\nname: release-notes\ndescription: Ours.\n---\nBe brief.\n');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', { exact: true }).first().waitFor();
    const { json: skills } = await user.client.get<Shown[]>('/api/skills');
    const id = skills.find(({ key }) => key === 'release_notes')?.id;
    expect((await user.client.get(`/api/skills/${id}`)).json).toMatchObject({ description: 'Ours.' });

    await page.getByRole('button', { name: 'Add a file' }).click();
    await dialog(page).getByLabel('Path').fill('references/style.md');
    await dialog(page).getByRole('button', { name: 'Add a file' }).click();
    await page.getByRole('treeitem', { name: 'style.md' }).waitFor();
    await page.getByRole('heading', { level: 2, name: 'references/style.md' }).waitFor();
    await write(page, '# Style\n');
    const written = page.waitForResponse((response) => response.request().method() === 'PUT');
    await page.getByRole('button', { name: 'Save' }).click();
    expect((await written).status()).toBe(200);
    await page.getByRole('button', { name: 'Rename' }).click();
    await dialog(page).getByLabel('Path').fill('references/tone.md');
    await dialog(page).getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('treeitem', { name: 'tone.md' }).waitFor();
    await page.getByRole('treeitem', { name: 'style.md' }).waitFor({ state: 'detached' });
    const { json: renamed } = await user.client.get(`/api/skills/${id}/files/references%2Ftone.md`);
    expect(renamed).toMatchObject({ content: '# Style\n' });
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'skill-files');

    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const archive = await (await saved).path();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await heading(page, 'Skills').waitFor();
    await page.getByLabel('Import ZIP').last().setInputFiles(archive);
    await dialog(page).getByRole('button', { name: 'Import ZIP' }).click();
    await page.getByRole('treeitem', { name: 'tone.md' }).waitFor();
    await page.context().close();
  });

  test('lose nothing when two people change a file', async () => {
    const { user, page } = await open('/skills');
    const fields = { key: 'notes', name: 'Notes', description: 'x', category: 'writing' };
    const { json: skill } = await user.client.post<Shown>('/api/skills', fields);
    const file = `/api/skills/${skill.id}/files/a.md`;
    await user.client.send('PUT', file, { content: 'one' });
    await page.goto(`${served.url}/o/${user.orgId}/skills/${skill.id}`);
    await write(page, 'mine');
    await user.client.send('PUT', file, { content: 'theirs' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody else has changed this in the meantime.').first().waitFor();
    expect(await page.getByRole('textbox', { name: 'Content of the file' }).innerText()).toContain('mine');
    await page.context().close();
  });

  test('write a tool, see what is wrong at its line, and try it', async () => {
    const { page } = await open('/tools');
    await page.getByLabel('Filter by name').fill('time_now');
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'tools');
    await page.getByRole('button', { name: 'Add a tool' }).click();
    await dialog(page).getByLabel('Key').fill('shout');
    await dialog(page).getByLabel('Name').fill('Shout');
    await dialog(page).getByLabel('Description').fill('Writes a text in capitals.');
    await dialog(page).getByRole('combobox', { name: 'Runtime' }).click();
    await page.getByRole('option', { name: /main\.js/ }).click();
    await takeShot(page, 'tool-add');
    await dialog(page).getByRole('button', { name: 'Create' }).click();
    await heading(page, 'Shout').waitFor();
    await page.getByRole('treeitem', { name: 'main.js' }).click();
    await page.getByRole('heading', { level: 2, name: 'main.js' }).waitFor();
    await write(page, 'export default () => {\n  const a = ;\n}\n');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/Unexpected token \(line 2/).waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'tool-fault');
    await write(page, 'export default ({ text }, { log }) => {\n  log("asked");\n  return text.toUpperCase();\n};\n');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).first().waitFor();
    await page.getByRole('tab', { name: 'Try it' }).click();
    await page.getByLabel('text').fill('hello');
    await page.getByRole('button', { name: 'Call the tool' }).click();
    await page.getByText('HELLO').waitFor();
    await page.getByText('asked').waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'tool-try');
    await page.context().close();
  });

  test('override a builtin persona, and bring it back', async () => {
    const { user, page } = await open('/personas');
    const { json: builtin } = await user.client.get<(Shown & { name: string })[]>('/api/personas/builtin');
    const name = builtin[0]?.name ?? '';
    await page.getByRole('link', { name, exact: true }).click();
    await heading(page, name).waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'persona-builtin');
    await page.getByRole('button', { name: 'Override' }).click();
    await dialog(page).getByRole('button', { name: 'Override' }).click();
    await page.getByText('overrides a builtin one').waitFor();
    await page.getByRole('textbox', { name: 'Prompt' }).fill('You are brief.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).first().waitFor();
    const key = builtin[0]?.key;
    const own = async () => (await user.client.get<Shown[]>('/api/personas')).json.filter((each) => each.key === key);
    expect(await own()).toMatchObject([{ origin: 'custom', system_prompt: 'You are brief.', overrides: true }]);
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'persona-own');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await heading(page, 'Personas').waitFor();
    await page.getByText(`${name} was deleted`).waitFor();
    expect(await own()).toMatchObject([{ origin: 'builtin' }]);
    await page.context().close();
  });

  test('fit a phone, in the dark', async () => {
    const { user, page } = await open('/skills', PHONE);
    await page.emulateMedia({ colorScheme: 'dark' });
    const { json: tools } = await user.client.get<Shown[]>('/api/tools/builtin');
    for (const [shot, path, part] of [
      ['skills', '/skills', 'table'],
      ['tools', '/tools?q=time', 'table'],
      ['tool', `/tools/${tools[0]?.id}`, 'tree'],
    ] as const) {
      await page.goto(`${served.url}/o/${user.orgId}${path}`);
      await page.getByRole('main').getByRole(part).first().waitFor();
      const width = await page.locator('html').evaluate((element) => element.scrollWidth);
      expect([shot, width]).toEqual([shot, 390]);
      expect(await brokenRules(page)).toEqual([]);
      await takeShot(page, `phone-${shot}`);
    }
    await page.context().close();
  });
});
