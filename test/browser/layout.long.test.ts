import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeConsole, takeShot } from '../support/console/browsed-console.ts';
import { fillChat } from '../support/console/filled-chat.ts';
import { composerOf, signInAt } from '../support/console/opened-chat.ts';
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

/**
 * Returns what a finger meets at less than 40 px in either direction. What is drawn around a control counts, and the
 * label of a field; a link within a sentence is as high as its line.
 */
const FIND_SMALL_TARGETS = `(() => {
  const LEAST = 40;
  const ROLES = ['button', 'tab', 'combobox', 'switch', 'checkbox', 'option', 'menuitem'];
  const targets = ['a[href]', 'button', 'input', 'textarea', 'summary', ...ROLES.map((role) => '[role=' + role + ']')];
  const isInSentence = (element) => element.matches('p a, li a') && getComputedStyle(element).display === 'inline';
  const isMet = (element, x, y) => {
    const found = document.elementFromPoint(x, y);
    return found !== null && (element.contains(found) || found.closest('label')?.control === element);
  };
  const isLarge = (element, { left, right, top, bottom }) => {
    const [x, y, half] = [(left + right) / 2, (top + bottom) / 2, LEAST / 2 - 1];
    const isWide = right - left >= LEAST || (isMet(element, x + half, y) && isMet(element, x - half, y));
    return isWide && (bottom - top >= LEAST || (isMet(element, x, y + half) && isMet(element, x, y - half)));
  };
  const found = [];
  for (const element of document.querySelectorAll(targets.join())) {
    const isOff = element.closest('[aria-hidden=true], [inert]') !== null || element.tabIndex < 0;
    if (isOff || isInSentence(element) || !element.checkVisibility({ visibilityProperty: true })) continue;
    element.scrollIntoView({ block: 'center' });
    const box = element.getBoundingClientRect();
    if (box.width < 2 || box.height < 2 || box.bottom < 0 || isLarge(element, box)) continue;
    const name = element.getAttribute('aria-label') ?? (element.textContent || element.name || '').trim().slice(0, 40);
    found.push(element.nodeName + ' ' + name + ': ' + Math.round(box.width) + ' x ' + Math.round(box.height));
  }
  return found;
})()`;

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
    return { user, chat: paths.chat, pages: Object.entries(paths) };
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
  ])('stays where it is while a page loads, and fits the fingers that point at it, on %s', async (_screen, size) => {
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
      const small = size.isTouched ? await page.evaluate<readonly string[]>(FIND_SMALL_TARGETS) : [];
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      found.push([name, { width, shifts: await shiftsOf(page), small }]);
    }
    expect(found).toEqual(pages.map(([name]) => [name, { width: size.width, shifts: [], small: [] }]));
    await page.context().close();
  });

  test('keeps the field for messages in sight above the keyboard of a phone', async () => {
    const { user, chat } = await prepare();
    const page = await served.open({ width: 390, height: 844, isTouched: true });
    await signInAt(page, `${served.url}/o/${user.orgId}${chat}`, user);
    await composerOf(page).waitFor();
    // Browsers that know it take the keyboard away from the height of the page, as is done here.
    const viewport = await page.locator('meta[name=viewport]').getAttribute('content');
    expect(viewport).toContain('interactive-widget=resizes-content');
    await page.setViewportSize({ width: 390, height: 430 });
    await composerOf(page).tap();
    const [field, log] = [await composerOf(page).boundingBox(), await page.getByRole('log').boundingBox()];
    if (field === null || log === null) throw new Error('both are in sight');
    expect(field.y + field.height).toBeLessThanOrEqual(430);
    expect(log.height).toBeGreaterThan(100);
    await takeShot(page, 'layout-keyboard');
    await page.context().close();
  });

  test('has names and texts run in their own direction, in lists that start at their side', async () => {
    const user = await registerUser(served.url);
    const agentId = await createAgent(user.client, { name: 'תקציר (Q3) – גרסה' });
    const chatId = await createChat(user.client, agentId);
    await fillChat(served.api, { user, chatId }, 1, '1. שורה (אחת).\n\n```\nlet a = 1;\n```');
    const page = await served.open();
    await signInAt(page, `${served.url}/o/${user.orgId}/chats/${chatId}`, user);
    await page.getByRole('log').getByText('שורה (אחת).').waitFor();
    const found = await page.evaluate<unknown>(`(() => {
      const log = document.querySelector('[role=log]');
      const directionOf = (selector) => getComputedStyle(log.querySelector(selector)).direction;
      const name = [...log.querySelectorAll('h2')].at(-1).firstChild;
      const leftOf = (word) => {
        const range = document.createRange();
        range.setStart(name, name.data.indexOf(word));
        range.setEnd(name, name.data.indexOf(word) + word.length);
        return range.getBoundingClientRect().left;
      };
      return { list: directionOf('ol'), code: directionOf('pre'), isInOrder: leftOf('תקציר') > leftOf('גרסה') };
    })()`);
    expect(found).toEqual({ list: 'rtl', code: 'ltr', isInOrder: true });
    await takeShot(page, 'layout-right-to-left');
    await page.context().close();
  });

  test('names the agent of a chat in full beside a long title, and cuts its name to one line on a phone', async () => {
    const user = await registerUser(served.url);
    const agentId = await createAgent(user.client, { name: 'Researcher of the sales department' });
    const chatId = await createChat(user.client, agentId);
    await user.client.patch(`/api/chats/${chatId}/title`, { title: 'A comparison of all reports '.repeat(7) });
    const page = await served.open({ width: 1600 });
    await signInAt(page, `${served.url}/o/${user.orgId}/chats/${chatId}`, user);
    await page.getByRole('heading', { level: 1, name: 'A comparison' }).waitFor();
    const isWhole = `(() => {
      const [agent] = [...document.querySelectorAll('header span')].filter((each) => each.textContent.startsWith('Researcher'));
      return agent.scrollWidth <= agent.clientWidth;
    })()`;
    expect(await page.evaluate<boolean>(isWhole)).toBe(true);
    await page.setViewportSize({ width: 390, height: 844 });
    const fits = `(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight)(document.querySelector('textarea'))`;
    expect(await page.evaluate<boolean>(fits)).toBe(true);
    await page.context().close();
  });

  test('breaks no key of a tool on a screen of medium width', async () => {
    const user = await registerUser(served.url);
    const page = await served.open({ width: 1024 });
    await signInAt(page, `${served.url}/o/${user.orgId}/tools`, user);
    await page.getByRole('cell', { name: 'agent_broadcast' }).waitFor();
    const broken = `[...document.querySelectorAll('td code')]
      .filter((code) => code.getClientRects().length > 1).map(({ textContent }) => textContent)`;
    expect(await page.evaluate<string[]>(broken)).toEqual([]);
    await page.context().close();
  });

  test('says in sight of Save why a long form was not saved', async () => {
    const user = await registerUser(served.url);
    const agentId = await createAgent(user.client, { name: 'Builder' });
    const page = await served.open({ height: 500 });
    await signInAt(page, `${served.url}/o/${user.orgId}/agents/${agentId}`, user);
    await page.getByLabel('Description').fill('Mine');
    await user.client.patch(`/api/agents/${agentId}`, { description: 'Theirs' });
    await page.getByText('Changed by somebody else').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    const way = await page.getByRole('button', { name: 'Overwrite with mine' }).boundingBox();
    if (way === null) throw new Error('it is shown');
    expect(way.y + way.height).toBeLessThanOrEqual(500);
    expect(await page.getByRole('alert').filter({ hasText: 'Somebody else' }).isVisible()).toBe(true);
    await takeShot(page, 'layout-contested');
    await page.context().close();
  });

  test('marks what is open where the system chooses the colours', async () => {
    const { user, chat } = await prepare();
    const page = await served.open();
    await page.emulateMedia({ forcedColors: 'active' });
    await signInAt(page, `${served.url}/o/${user.orgId}${chat}`, user);
    await composerOf(page).waitFor();
    const colours = await page.evaluate<string[]>(`(() => {
      const chosen = document.createElement('i');
      chosen.style.background = 'Highlight';
      document.body.append(chosen);
      return [chosen, ...document.querySelectorAll('a[aria-current]')].map((each) => getComputedStyle(each).backgroundColor);
    })()`);
    expect(colours.length).toBeGreaterThan(2);
    expect(new Set(colours).size).toBe(1);
    await takeShot(page, 'layout-forced-colours');
    await page.context().close();
  });

  test('can be installed as an app', async () => {
    const page = await served.open();
    await page.goto(`${served.url}/sign-in`);
    await page.getByLabel('Password').waitFor();
    const client = await page.context().newCDPSession(page);
    const { url, errors, data } = await client.send('Page.getAppManifest');
    expect([url, errors]).toEqual([`${served.url}/app.webmanifest`, []]);
    const { icons } = JSON.parse(data ?? '') as { readonly icons: readonly { src: string; sizes: string }[] };
    for (const { src, sizes } of icons) {
      const size = `createImageBitmap(await (await fetch('${src}')).blob())`;
      const read = `(async () => { const { width, height } = await ${size}; return width + 'x' + height; })()`;
      expect(await page.evaluate<string>(read)).toBe(sizes);
    }
    await page.context().close();
  });
});
