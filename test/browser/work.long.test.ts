import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { createAgent, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { brokenRules, describeConsoleAtWork, takeShot } from '../support/console/browsed-console.ts';
import { waitUntil } from '../support/wait-until.ts';

const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

interface Id {
  readonly id: string;
}

/** An animation of a page, as far as it is looked at here. */
interface Moving {
  readonly effect: { getTiming(): { readonly iterations?: number } } | null;
  readonly finished: Promise<unknown>;
}

/** Waits until nothing moves: colours that fade into each other are none of either theme. */
async function settle(page: Page): Promise<void> {
  await page.locator('html').evaluate(async (element) => {
    const moving: Moving[] = element.getAnimations({ subtree: true });
    const ending = moving.filter(({ effect }) => effect?.getTiming().iterations === 1);
    await Promise.allSettled(ending.map(async ({ finished }) => finished));
  });
}

/** Takes pictures of a page as it is, in the dark and on a phone; each has to keep to the rules and to fit. */
async function takeShots(page: Page, name: string): Promise<void> {
  expect(await brokenRules(page)).toEqual([]);
  await takeShot(page, name);
  await page.emulateMedia({ colorScheme: 'dark' });
  await settle(page);
  expect(await brokenRules(page)).toEqual([]);
  await takeShot(page, `${name}-dark`);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(PHONE);
  await settle(page);
  expect(await page.locator('html').evaluate((element) => element.scrollWidth)).toBe(PHONE.width);
  expect(await brokenRules(page)).toEqual([]);
  await takeShot(page, `${name}-phone`);
  await page.setViewportSize(WIDE);
}

/** Drags something to the middle of something else, as a hand does. */
async function dragTo(page: Page, what: Locator, where: Locator): Promise<void> {
  const [from, to] = [await what.boundingBox(), await where.boundingBox()];
  if (from === null || to === null) throw new Error('what is dragged, and where to, must be in sight');
  await page.mouse.move(from.x + 40, from.y + 30);
  await page.mouse.down();
  await page.mouse.move(from.x + 50, from.y + 40, { steps: 3 });
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 8 });
  await page.mouse.move(to.x + to.width / 2 + 1, to.y + to.height / 2, { steps: 2 });
  await page.mouse.up();
}

describeConsoleAtWork('the work of a project in the console', (served) => {
  interface Opened {
    readonly user: TestUser;
    readonly page: Page;
    readonly agentId: string;
    readonly projectId: string;
  }
  const create = async (user: TestUser, path: string, fields: object) =>
    (await user.client.post<Id>(path, fields)).json.id;

  /** A page of a new user, who has an agent and a project. */
  async function open(path: (opened: Omit<Opened, 'page'>) => Promise<string> | string): Promise<Opened> {
    const user = await registerUser(served.url);
    await createProvider(user.client, served.backend.model.url);
    const agentId = await createAgent(user.client, { name: 'Builder' });
    const projectId = await create(user, '/api/projects', { name: 'Website', agent_ids: [agentId] });
    const page = await served.open(WIDE);
    const to = await path({ user, agentId, projectId });
    await page.goto(`${served.url}/o/${user.orgId}${to}`);
    await page.getByLabel('E-mail address').fill(user.email);
    await page.getByLabel('Password').fill(user.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    return { user, page, agentId, projectId };
  }
  const column = (page: Page, name: string) => page.getByRole('region', { name: new RegExp(`^${name},`) });
  const cardIn = (page: Page, name: string, title: string) => column(page, name).getByRole('link', { name: title });
  const focused = (within: Locator, words: string) => within.locator('a:focus', { hasText: words });
  const stored = async (user: TestUser, path: string) => (await user.client.get<Record<string, unknown>>(path)).json;

  test('moves issues on the board by mouse, by keys and by the menu', async () => {
    const ids: string[] = [];
    const { page, user } = await open(async ({ user: owner, projectId, agentId }) => {
      const fields = { project_id: projectId, labels: ['bug'] };
      ids.push(
        await create(owner, '/api/issues', { ...fields, title: 'The menu overlaps the logo', priority: 'urgent' }),
      );
      ids.push(
        await create(owner, '/api/issues', { ...fields, title: 'Write the report', assigned_agent_id: agentId }),
      );
      return '/board';
    });
    const [menu, report] = ids;
    await cardIn(page, 'Backlog', 'The menu overlaps the logo').waitFor();
    await takeShots(page, 'board-issues');

    await dragTo(page, cardIn(page, 'Backlog', 'The menu overlaps'), column(page, 'In progress'));
    await cardIn(page, 'In progress', 'The menu overlaps').waitFor();
    await waitUntil('the moved issue', async () =>
      (await stored(user, `/api/issues/${menu}`))['status'] === 'in_progress' ? true : undefined,
    );

    await cardIn(page, 'Backlog', 'Write the report').focus();
    await page.keyboard.press('Space');
    await page.getByText('Lifted Write the report: Backlog, 1 of 1').waitFor({ state: 'attached' });
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.getByText('In progress, 2 of 2').waitFor({ state: 'attached' });
    await page.keyboard.press('Escape');
    await cardIn(page, 'Backlog', 'Write the report').waitFor();
    expect((await stored(user, `/api/issues/${report}`))['status']).toBe('backlog');
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Space');
    await cardIn(page, 'To do', 'Write the report').waitFor();
    await page.getByText('Dropped Write the report: To do, 1 of 1').waitFor({ state: 'attached' });
    await focused(column(page, 'To do'), 'Write the report').waitFor();
    await page.keyboard.press('ArrowRight');
    await focused(column(page, 'In progress'), 'The menu overlaps').waitFor();

    await column(page, 'To do').getByRole('button', { name: 'Move Write the report' }).click();
    await page.getByRole('menuitem', { name: 'Done' }).click();
    await cardIn(page, 'Done', 'Write the report').waitFor();
    await waitUntil('the issue that is done', async () =>
      (await stored(user, `/api/issues/${report}`))['status'] === 'done' ? true : undefined,
    );

    await cardIn(page, 'In progress', 'The menu overlaps').click();
    await page.getByRole('dialog', { name: 'The menu overlaps the logo' }).waitFor();
    await takeShots(page, 'board-peek');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('c');
    await page.getByRole('dialog', { name: 'Add to In progress' }).waitFor();
    await page.getByLabel('Title').fill('Check the footer');
    await page.getByRole('button', { name: 'Add the issue' }).click();
    await cardIn(page, 'In progress', 'Check the footer').waitFor();
    await page.context().close();
  });

  test('shows tasks as they change, moves them to their place, and puts back what is refused', async () => {
    const { page, user, agentId, projectId } = await open(() => '/board?of=tasks');
    await column(page, 'Pending').waitFor();
    const chat = await create(user, '/api/chats', { agent_id: agentId, project_id: projectId });
    const add = async (title: string, fields: object = {}) =>
      create(user, '/api/tasks', { chat_id: chat, title, ...fields });
    await add('First');
    await add('Second');
    await cardIn(page, 'Pending', 'Second').waitFor();
    await cardIn(page, 'Pending', 'Second').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Space');
    const titles = async () => column(page, 'Pending').getByRole('link').allTextContents();
    await waitUntil('the order of the cards', async () => {
      const shown = await titles();
      return shown[0]?.startsWith('Second') === true ? true : undefined;
    });
    const gate = randomUUID();
    const running = await add('Collect the figures', {
      description: `[[slow 9 chunks every 1ms]] [[hold ${gate} after 3 chunks]]`,
      assigned_agent_id: agentId,
    });
    await cardIn(page, 'In progress', 'Collect the figures').waitFor();
    await column(page, 'In progress').getByText('writing').waitFor();
    await takeShots(page, 'board-tasks');
    await dragTo(page, cardIn(page, 'In progress', 'Collect'), column(page, 'Completed'));
    await page.getByText('Collect the figures could not be moved:').first().waitFor();
    await cardIn(page, 'In progress', 'Collect the figures').waitFor();
    served.backend.model.release(gate);
    await cardIn(page, 'Completed', 'Collect the figures').waitFor();
    expect((await stored(user, `/api/tasks/${running}`))['status']).toBe('completed');
    await page.context().close();
  });

  test('leads an issue from its form to the comment of the agent that has worked on it', async () => {
    const { page, user } = await open(() => '/issues');
    await page.getByText('No issues yet').waitFor();
    await page.getByRole('button', { name: 'Add an issue' }).click();
    await page.getByLabel('Title').fill('Write the report');
    await page.getByLabel('Description').fill('With **all** figures. [[say The report is written.]]');
    await page.getByRole('combobox', { name: 'Agent' }).fill('Buil');
    await page.getByRole('option', { name: 'Builder' }).click();
    await page.getByLabel('Labels').fill('docs, urgent figures');
    await takeShots(page, 'issue-form');
    await page.getByRole('button', { name: 'Add the issue' }).click();
    const issue = page.getByRole('article', { name: 'Write the report' });
    await issue.getByText('all', { exact: true }).waitFor();
    expect(await issue.getByLabel('Labels').inputValue()).toBe('docs, urgent figures');
    await issue.getByRole('combobox', { name: 'Priority' }).click();
    await page.getByRole('option', { name: 'High' }).click();
    await waitUntil('the priority', async () => {
      const { json } = await user.client.get<{ priority: string }[]>('/api/issues');
      return json[0]?.priority === 'high' ? true : undefined;
    });
    await issue.getByRole('textbox', { name: 'Comment' }).fill('Please by *Monday*.');
    await issue.getByRole('button', { name: 'Add the comment' }).click();
    await issue.getByText('Monday', { exact: true }).waitFor();
    await issue.getByRole('button', { name: 'Start work' }).click();
    await issue.getByText('The report is written.').last().waitFor();
    await issue.getByText('Builder for').last().waitFor();
    await takeShots(page, 'issue');
    await issue.getByRole('link', { name: 'Write the report' }).click();
    await page.getByRole('article', { name: 'Write the report' }).getByText('Result').waitFor();
    await takeShots(page, 'task');
    await page.context().close();
  });

  test('shows a task at work, interrupts it, and tries it again', async () => {
    const gate = randomUUID();
    const { page } = await open(async ({ user, agentId, projectId }) => {
      const chat = await create(user, '/api/chats', { agent_id: agentId, project_id: projectId });
      const description = `[[slow 9 chunks every 1ms]] [[hold ${gate} after 3 chunks]]`;
      await create(user, '/api/tasks', { chat_id: chat, title: 'For a person' });
      const task = { chat_id: chat, title: 'Collect the figures', description, assigned_agent_id: agentId };
      return `/tasks/${await create(user, '/api/tasks', task)}`;
    });
    const task = page.getByRole('article', { name: 'Collect the figures' });
    await task.getByRole('log').getByText('w1 w2 w3').waitFor();
    const rows = page.getByRole('list', { name: 'Tasks' }).getByRole('button');
    expect(await rows.first().textContent()).toContain('Collect the figures');
    await takeShots(page, 'task-running');
    await task.getByRole('button', { name: 'Stop' }).click();
    await task.getByText('Interrupted', { exact: true }).first().waitFor();
    const interrupt = task.getByRole('button', { name: 'Stop' });
    expect(await interrupt.getAttribute('title')).toBe('No agent is working on it.');
    await task.getByRole('button', { name: 'Retry' }).click();
    await task.getByText('In progress', { exact: true }).waitFor();
    served.backend.model.release(gate);
    await task.getByText('Completed', { exact: true }).waitFor();
    expect(await task.getByRole('link', { name: 'Trace' }).first().getAttribute('href')).toMatch(
      /\/turns\/[0-9a-f-]{36}$/,
    );
    // What has ended stands behind what is to be done.
    await rows.last().filter({ hasText: 'Collect the figures' }).waitFor();
    await page.keyboard.press('k');
    await page.getByRole('article', { name: 'For a person' }).waitFor();
    await page.context().close();
  });

  test('adds a project, shows its work, its agents and its repository, and takes its deletion back', async () => {
    const { page, user } = await open(() => '/projects');
    await page.getByRole('link', { name: 'Website' }).waitFor();
    await takeShots(page, 'projects');
    await page.getByRole('button', { name: 'Add a project' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Office move');
    await page.getByLabel('Description').fill('Everything about the **new** office.');
    await page.getByLabel('Address of the repository').fill('not an address');
    await page.getByRole('dialog').getByRole('button', { name: 'Add a project' }).click();
    await page.getByLabel('Address of the repository').and(page.locator('[aria-invalid=true]')).waitFor();
    await page.getByLabel('Address of the repository').fill('https://github.com/everturn-test/does-not-exist');
    await page.getByLabel('Webhook secret').fill('a-secret-of-the-webhook');
    await takeShots(page, 'project-form');
    await page.getByRole('dialog').getByRole('button', { name: 'Add a project' }).click();
    await page.getByRole('heading', { level: 1, name: 'Office move' }).waitFor();
    await takeShots(page, 'project');
    await page.getByRole('tab', { name: 'Agents' }).click();
    await page.getByText('No agent works in it yet.').waitFor();
    await page.getByRole('combobox', { name: 'Agents of the project' }).fill('Buil');
    await page.getByRole('option', { name: 'Builder' }).click();
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Save the agents' }).click();
    await page.getByRole('tabpanel').getByText('idle').waitFor();
    await takeShots(page, 'project-agents');
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByText(/added the project/).waitFor();
    await takeShots(page, 'project-activity');
    await page.getByRole('tab', { name: 'Repository' }).click();
    await page.getByText('/api/integrations/github/webhook/').waitFor();
    await page.getByText('A secret is stored.').waitFor();
    expect(await page.content()).not.toContain('a-secret-of-the-webhook');
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByRole('listitem').getByText(/known/).first().waitFor();
    await takeShots(page, 'project-repository');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
    await page.getByRole('link', { name: 'Office move' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'Office move' }).waitFor();
    const { json } = await user.client.get<{ name: string }[]>('/api/projects');
    expect(json.map(({ name }) => name).toSorted()).toEqual(['Office move', 'Website']);
    await page.context().close();
  });

  test('keeps only the cards in sight in the page, and reads and reaches all of them', async () => {
    const COUNT = 260;
    const { page } = await open(async ({ user, projectId }) => {
      const numbers = Array.from({ length: COUNT }, (_, at) => at + 1);
      for (const some of Map.groupBy(numbers, (number) => Math.floor(number / 20)).values())
        await Promise.all(
          some.map(async (number) =>
            create(user, '/api/issues', { project_id: projectId, title: `Issue no. ${number}.` }),
          ),
        );
      return '/board';
    });
    const backlog = column(page, 'Backlog');
    await page.getByRole('region', { name: `Backlog, ${COUNT} cards` }).waitFor();
    await backlog.getByRole('link').first().focus();
    expect(await backlog.getByRole('link').count()).toBeLessThan(40);
    await page.keyboard.press('End');
    // The newest are read first, and stand last: what is older comes in above the one that was reached.
    await backlog.locator('a:focus', { hasText: `Issue no. ${COUNT}.` }).waitFor();
    await backlog.locator(`[aria-setsize="${COUNT}"]`).first().waitFor();
    await page.keyboard.press('End');
    await backlog.locator(`[aria-posinset="${COUNT}"] a:focus`).waitFor();
    await page.keyboard.press('Home');
    await backlog.locator('[aria-posinset="1"] a:focus', { hasText: 'Issue no. 1.' }).waitFor();
    expect(await backlog.getByRole('link').count()).toBeLessThan(40);
    await page.context().close();
  });
});
