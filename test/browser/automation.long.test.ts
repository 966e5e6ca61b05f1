import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { brokenRules, describeConsoleAtWork, takeShot } from '../support/console/browsed-console.ts';
import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { waitUntil } from '../support/wait-until.ts';

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

describeConsoleAtWork('automation in the console', (served) => {
  interface Opened {
    readonly user: TestUser;
    readonly agentId: string;
    readonly page: Page;
  }
  /** A page of a new user, who has an agent that asks before it writes. */
  async function openPage(path: string): Promise<Opened> {
    const user = await registerUser(served.api.url);
    await createProvider(user.client, served.backend.model.url);
    const agentId = await createAgent(user.client, {
      name: 'Careful',
      tools: ['file_write', 'file_delete'],
      requires_approval: { '*': 'writes' },
    });
    const page = await served.open({ width: 1440, height: 900 });
    await page.goto(`${served.api.url}/o/${user.orgId}${path}`);
    await page.getByLabel('E-mail address').fill(user.email);
    await page.getByLabel('Password').fill(user.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    return { user, agentId, page };
  }
  /** Takes pictures of a page in its three forms, none of which breaks a rule or is larger than the screen. */
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
      const extent = await page
        .locator('html')
        .evaluate(({ scrollWidth, scrollHeight }) => [scrollWidth, scrollHeight]);
      expect([name + form, extent]).toEqual([name + form, [size.width, size.height]]);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  }
  /** Lets the agent ask for a decision in a chat of its own, and waits until it does. */
  async function ask({ user, agentId }: Opened, path: string): Promise<string> {
    const chatId = await createChat(user.client, agentId);
    const call = `[[tool file_write ${JSON.stringify({ path, content: '# Report\n\nSales rose.' })}]] [[then]] [[say done]]`;
    // Its stream ends with the chat's turn, which nobody here waits for.
    user.client.post(`/api/chats/${chatId}/stream`, { content: call }).catch(() => undefined);
    return waitUntil('the decision', async () => {
      const { json } = await user.client.get<{ chat_id: string; id: string }[]>('/api/approvals?status=pending');
      return json.find((approval) => approval.chat_id === chatId)?.id;
    });
  }

  test('a call that waits is counted on every page, and approved by keys', async () => {
    const opened = await openPage('/inbox');
    const { page, user } = opened;
    await page.getByText("You're all caught up").waitFor();
    await checkForms(page, 'inbox-empty');
    const ids = [await ask(opened, 'plan.md'), await ask(opened, 'report.md')];
    await page.reload();
    await page.getByRole('region', { name: /report\.md/ }).waitFor();
    expect(await page.title()).toBe('(2) Inbox · Everturn');
    await checkForms(page, 'inbox');
    await page.goto(`${served.api.url}/o/${user.orgId}/chats`);
    const title = page
      .getByRole('link', { name: /needs approval/ })
      .first()
      .locator('span')
      .first();
    expect((await title.boundingBox())?.width).toBeGreaterThan(100);
    await page.goto(`${served.api.url}/o/${user.orgId}/inbox`);
    await page.getByRole('link', { name: /plan\.md/ }).click();
    await page.setViewportSize({ width: 390, height: 844 });
    await takeShot(page, 'inbox-open-phone');
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press('y');
    await page.getByRole('dialog', { name: 'Approve this?' }).waitFor();
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('Go on');
    await takeShot(page, 'inbox-decision');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /plan\.md/ }).waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    await page.getByRole('dialog', { name: 'Deny this?' }).getByRole('button', { name: 'Deny' }).click();
    await page.getByText("You're all caught up").waitFor();
    const statuses = await Promise.all(
      ids.map(async (id) => (await user.client.get<{ status: string }>(`/api/approvals/${id}`)).json.status),
    );
    expect(statuses).toEqual(['approved', 'denied']);
    await page.getByRole('tab', { name: 'Decided' }).click();
    await page.getByRole('region', { name: /report\.md/ }).waitFor();
    await checkForms(page, 'inbox-decided');
    await page.getByRole('tab', { name: 'Failed runs' }).click();
    await page.getByText('No failed runs').waitFor();
    await heading(page, 'Inbox').waitFor();
  });

  test('a schedule is made with the times that it shows, run now, paused, and made up for', async () => {
    const { page, agentId, user } = await openPage('/schedules');
    await page.getByText('No schedules yet').waitFor();
    await checkForms(page, 'schedules-empty');
    await page.getByRole('link', { name: 'Add a schedule' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Weekly report');
    await page.getByRole('combobox', { name: 'Agent' }).fill('Care');
    await page.getByRole('option', { name: 'Careful' }).click();
    await page.getByLabel('Prompt').fill('[[say It is written.]]');
    await page.getByRole('table', { name: 'Next runs' }).waitFor();
    await checkForms(page, 'schedule-new');
    await page.getByRole('button', { name: 'Add a schedule' }).click();
    await heading(page, 'Weekly report').waitFor();
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('A run was started').waitFor();
    await checkForms(page, 'schedule');
    await page.getByRole('tab', { name: 'Runs' }).click();
    await page.getByText('completed', { exact: true }).first().waitFor();
    await checkForms(page, 'schedule-runs');
    await page.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByRole('button', { name: 'Activate' }).waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Backfill' }).click();
    await page
      .getByRole('dialog')
      .getByText(/times? in it/)
      .waitFor();
    await takeShot(page, 'schedule-backfill');
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Monthly report');
    await page.keyboard.press('Control+s');
    await heading(page, 'Monthly report').waitFor();
    await checkForms(page, 'schedule-settings');
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    await page.getByText('"Monthly report"').waitFor();
    await checkForms(page, 'schedule-json');
    const { json } = await user.client.get<Record<string, unknown>[]>('/api/schedules');
    expect(json).toMatchObject([
      { name: 'Monthly report', agent_id: agentId, is_active: false, cron_expr: '0 9 * * 1-5' },
    ]);
    await page.getByRole('link', { name: 'Schedules' }).first().click();
    await page.getByRole('rowheader', { name: /^Monthly report/ }).waitFor();
    for (const [name, cron] of [
      ['Backup', '0 3 * * *'],
      ['Cleaning of the workspaces of all chats', '0 3 * * *'],
      ['Inbox', '0 */2 * * *'],
    ]) {
      const fields = { name, cron_expr: cron, prompt: '[[say done]]', agent_id: agentId };
      expect((await user.client.post('/api/schedules', fields)).status).toBe(201);
    }
    await page.getByText(/^Most at once: 2/).waitFor();
    await checkForms(page, 'schedules');
    const { json: all } = await user.client.get<{ id: string; name: string }[]>('/api/schedules');
    const often = all.find(({ name }) => name === 'Inbox')?.id ?? '';
    await user.client.post(`/api/schedules/${often}/trigger`);
    await served.api.database.system.query(
      `insert into workflow_runs (id, org_id, workflow_id, schedule_id, user_id, triggered_by, status, variables,
          missing_variables, steps, prompt, started_at, completed_at, created_at)
        select gen_random_uuid(), r.org_id, r.workflow_id, r.schedule_id, r.user_id, r.triggered_by,
          case when n % 5 = 0 then 'failed' else 'completed' end, r.variables, r.missing_variables, r.steps, r.prompt,
          at, at + interval '150 minutes', at
        from workflow_runs r, generate_series(2, 40) n, lateral (select now() - n * interval '2 hours' as at) began
        where r.schedule_id = $1`,
      [often],
    );
    await page
      .getByRole('rowheader', { name: /^Inbox/ })
      .getByRole('link')
      .click();
    await page.getByText(/^A run usually takes 2 h 30 min/).waitFor();
    await checkForms(page, 'schedule-week');
  });

  test('a workflow is made and run by its form, and the secret of its webhook is shown once', async () => {
    const { page, user } = await openPage('/workflows');
    await page.getByText('No workflows yet').waitFor();
    await page.getByRole('link', { name: 'Add a workflow' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Triage');
    await page.getByRole('combobox', { name: 'Agent' }).fill('Care');
    await page.getByRole('option', { name: 'Careful' }).click();
    await page.getByLabel('Prompt').fill('[[say Ask {{ team }}.]] About {{ title }}');
    await page.getByText('Used:').waitFor();
    await page.getByRole('combobox', { name: 'Started by' }).click();
    await page.getByRole('option', { name: 'Webhook' }).click();
    await checkForms(page, 'workflow-new');
    await page.getByRole('button', { name: 'Add a workflow' }).click();
    await heading(page, 'Triage').waitFor();
    await page.getByRole('button', { name: 'Require a signature' }).click();
    const dialog = page.getByRole('dialog', { name: 'Webhook secret' });
    const secret = (await dialog.locator('code').first().textContent()) ?? '';
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    await takeShot(page, 'workflow-secret');
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(secret);
    await page.getByText('Requests must be signed with its secret.').waitFor();
    await checkForms(page, 'workflow');
    await page.getByRole('button', { name: 'Run now' }).click();
    const form = page.getByRole('dialog', { name: 'Run now' });
    await form.getByLabel('team').fill('the team for accounts');
    await form.getByLabel('title').fill('Login fails');
    await takeShot(page, 'workflow-run');
    await form.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('completed', { exact: true }).first().waitFor();
    await checkForms(page, 'workflow-runs');
    for (const tab of ['Conversations', 'Notifications', 'Settings']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('tabpanel').waitFor();
      await checkForms(page, `workflow-${tab.toLowerCase()}`);
    }
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('button', { name: /^Triage/ }).click();
    await page.getByText('Ask the team for accounts.').last().waitFor();
    await checkForms(page, 'runs');
    await page.getByRole('link', { name: 'Workflows' }).first().click();
    await page.getByRole('rowheader', { name: /^Triage/ }).waitFor();
    await checkForms(page, 'workflows');
    const { json } = await user.client.get<Record<string, unknown>[]>('/api/workflows');
    expect(json).toMatchObject([{ name: 'Triage', has_webhook_secret: true, variables: ['team', 'title'] }]);
  });
});
