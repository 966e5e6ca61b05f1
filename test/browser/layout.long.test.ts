import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeConsole, takeShot } from '../support/console/browsed-console.ts';
import { fillChat } from '../support/console/filled-chat.ts';
import { signInAt } from '../support/console/opened-chat.ts';
import { createAgent, createChat, createProvider, registerUser } from '../support/factories.ts';

/** The sum of layout shifts that a page may have, as Chromium counts them: 0.1 is what is called good. */
const MOST_SHIFT = 0.05;

/** Keeps the layout shifts of a page, but for those that follow a key or a click at once. */
const WATCH_SHIFTS = `
  globalThis.shifts = [];
  const where = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ');
  const nameOf = (node) => node === null ? 'what is gone' : node.nodeName + ' ' + (node.textContent ?? '').slice(0, 30);
  const shiftOf = ({ node, previousRect, currentRect }) =>
    nameOf(node) + ': ' + where(previousRect) + ' -> ' + where(currentRect);
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, sources } of list.getEntries())
      if (!hadRecentInput) globalThis.shifts.push({ value, what: sources.map(shiftOf) });
  }).observe({ type: 'layout-shift', buffered: true });`;

interface Shift {
  readonly value: number;
  readonly what: readonly string[];
}

describeConsole('the layout of the console', (served) => {
  /** Somebody with a record of the kinds that people work with, and the addresses of pages about them. */
  async function prepare() {
    const user = await registerUser(served.url, { full_name: 'Ada Lovelace' });
    await createProvider(user.client, 'https://models.example.com/v1');
    const agentId = await createAgent(user.client, {
      name: 'Builder',
      soul: { tone: 'dry', values: ['harm before taste', 'respect'] },
      tools: ['time_now', 'file_write'],
    });
    const chatId = await createChat(user.client, agentId);
    await fillChat(served.api, { user, chatId }, 12);
    const create = async (path: string, fields: object) =>
      (await user.client.post<{ id: string }>(path, fields)).json.id;
    const project_id = await create('/api/projects', { name: 'Website', agent_ids: [agentId] });
    const fields = {
      project_id,
      title: 'The menu overlaps the logo',
      description: 'See the picture.',
      labels: ['bug'],
    };
    const issueId = await create('/api/issues', fields);
    await create(`/api/issues/${issueId}/comments`, { content: 'I have seen it, too.' });
    const paths = {
      home: '',
      chat: `/chats/${chatId}`,
      chats: '/chats',
      agent: `/agents/${agentId}`,
      tools: `/agents/${agentId}?tab=tools`,
      issue: `/issues/${issueId}`,
      board: '/board',
      audit: '/audit',
      providers: '/providers',
      schedule: '/schedules/new',
    };
    return { user, pages: Object.entries(paths) };
  }

  /** Waits until a page shows what it has read. */
  async function settle(page: Page): Promise<void> {
    await page.getByRole('main').getByRole('heading').filter({ visible: true }).first().waitFor();
    await page.waitForLoadState('networkidle');
    await page.locator('[data-unread]').filter({ visible: true }).first().waitFor({ state: 'detached' });
  }

  /** Returns the shifts of a page that come to more than they may. */
  async function shiftsOf(page: Page): Promise<readonly Shift[]> {
    const shifts = await page.evaluate<readonly Shift[]>('globalThis.shifts');
    return shifts.reduce((sum, { value }) => sum + value, 0) < MOST_SHIFT ? [] : shifts;
  }

  test.each([
    ['a wide screen', { width: 1600, height: 900, isTouched: false }],
    ['a phone', { width: 390, height: 844, isTouched: true }],
  ])('stays where it is while a page loads, and as wide as the screen, on %s', async (_screen, size) => {
    const { user, pages } = await prepare();
    const page = await served.open(size);
    await page.addInitScript(WATCH_SHIFTS);
    await page.goto(`${served.url}/sign-in`);
    await page.getByLabel('Password').waitFor();
    await page.waitForLoadState('networkidle');
    expect(await shiftsOf(page)).toEqual([]);
    await signInAt(page, `${served.url}/o/${user.orgId}`, user);
    await settle(page);
    const found: unknown[] = [];
    for (const [name, path] of pages) {
      await page.goto(`${served.url}/o/${user.orgId}${path}`);
      await settle(page);
      await takeShot(page, `layout-${name}-${size.width}`);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      found.push([name, { width, shifts: await shiftsOf(page) }]);
    }
    expect(found).toEqual(pages.map(([name]) => [name, { width: size.width, shifts: [] }]));
    await page.context().close();
  });
});
