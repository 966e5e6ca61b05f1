import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { startApiProcess } from '../support/api-process.ts';
import { builtConsole } from '../support/console/built-console.ts';
import { describeConsoleAtWork } from '../support/console/browsed-console.ts';
import {
  composerOf,
  logOf,
  openChat,
  send,
  shows,
  showsStored,
  signInAt,
  storedAnswers,
  timesIn,
} from '../support/console/opened-chat.ts';
import { claimsOf, forgeToken } from '../support/forge-token.ts';
import { registerColleague } from '../support/people.ts';
import { waitUntil } from '../support/wait-until.ts';

describeConsoleAtWork('a chat through faults', (served) => {
  /** A message whose answer stops after three of nine words until its gate is released. */
  function blockedAnswer() {
    const gate = randomUUID();
    const release = () => served.backend.model.release(gate);
    return { words: `[[slow 9 chunks every 1ms]] [[hold ${gate} after 3 chunks]]`, release };
  }
  /** Expects the log to show the only stored answer, once. */
  async function expectStoredOnce(opened: Awaited<ReturnType<typeof openChat>>, page = opened.page): Promise<void> {
    await showsStored(page);
    const [stored = '', ...others] = await storedAnswers(opened);
    expect(others).toEqual([]);
    expect(stored).toContain('w9');
    const shown = await logOf(page);
    expect([timesIn(stored, shown), timesIn('w1 ', shown)]).toEqual([1, timesIn('w1 ', stored)]);
  }

  test('shows the stored text, once, when the worker dies in mid answer', async () => {
    const opened = await openChat(served);
    const answer = blockedAnswer();
    await send(opened.page, answer.words);
    await shows(opened.page, 'w1 w2 w3');
    await served.backend.workers.pop()?.kill();
    expect(timesIn('w1 w2 w3', await logOf(opened.page))).toBe(1);
    await served.backend.addWorker();
    answer.release();
    await expectStoredOnce(opened);
  });

  test('shows the stored text, once, when the api dies in mid answer, and never blanks it', async () => {
    const { databaseUrl, temporalAddress } = served.backend;
    const options = { temporalAddress, consoleDir: await builtConsole() };
    const first = await startApiProcess(databaseUrl, options);
    const opened = await openChat(served, { url: first.url });
    const answer = blockedAnswer();
    await send(opened.page, answer.words);
    await shows(opened.page, 'w1 w2 w3');
    await first.kill();
    await opened.page.getByText('connection lost, reconnecting').first().waitFor();
    expect(timesIn('w1 w2 w3', await logOf(opened.page))).toBe(1);
    // What is sent meanwhile is stored once the server is back.
    await send(opened.page, '[[say afterwards]]');
    const second = await startApiProcess(databaseUrl, { ...options, port: Number(new URL(first.url).port) });
    answer.release();
    await shows(opened.page, 'w9');
    await showsStored(opened.page, 2);
    await shows(opened.page, 'afterwards');
    expect((await storedAnswers(opened)).map((text) => timesIn('w1 ', text))).toEqual([1, 0]);
    expect(timesIn('w1 w2 w3', await logOf(opened.page))).toBe(1);
    await opened.page.close();
    await second.kill();
  });

  test('shows the same in two tabs, also in one that joins late', async () => {
    const opened = await openChat(served);
    const answer = blockedAnswer();
    await send(opened.page, answer.words);
    await shows(opened.page, 'w1 w2 w3');
    const late = await served.openBeside(opened.page);
    await late.goto(opened.page.url());
    await shows(late, 'w1 w2 w3');
    expect(timesIn('w1 w2 w3', await logOf(late))).toBe(1);
    answer.release();
    await expectStoredOnce(opened);
    await expectStoredOnce(opened, late);
    await send(late, '[[say from the other tab]]');
    await shows(opened.page, 'from the other tab');
    await showsStored(opened.page, 2);
  });

  test('goes on when its token expires in mid answer, sooner than it was told', async () => {
    let tokens = 0;
    let areShort = true;
    // Tokens end in four seconds, which the page is not told: its clock may be wrong.
    const shorten = async (route: Route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { access_token: string };
      tokens += 1;
      const exp = Math.floor(Date.now() / 1_000) + 4;
      const short = { access_token: forgeToken({ claims: { ...claimsOf(body.access_token), exp } }) };
      await route.fulfill({ response, json: { ...body, ...(areShort && short), expires_in: 3_600 } });
    };
    const opened = await openChat(served);
    await opened.page.route('**/api/auth/browser-session/refresh', shorten);
    let sockets = 0;
    opened.page.on('websocket', (socket) => (sockets += socket.url().includes('/ws/events') ? 0 : 1));
    await opened.page.reload();
    await composerOf(opened.page).waitFor();
    const answer = blockedAnswer();
    await send(opened.page, answer.words);
    await shows(opened.page, 'w1 w2 w3');
    const before = { sockets, tokens };
    areShort = false;
    await waitUntil(
      'another socket with another token',
      () => (sockets > before.sockets && tokens > before.tokens) || undefined,
    );
    expect(timesIn('w1 w2 w3', await logOf(opened.page))).toBe(1);
    answer.release();
    await expectStoredOnce(opened);
  });

  test('renews a token that is about to expire with a second socket, and shows the text once', async () => {
    let tokens = 0;
    const opened = await openChat(served);
    // Two minutes before it expires it is renewed.
    await opened.page.route('**/api/auth/browser-session/refresh', async (route) => {
      const response = await route.fetch();
      tokens += 1;
      const seconds = tokens === 1 ? 122 : 3_600;
      await route.fulfill({ response, json: { ...((await response.json()) as object), expires_in: seconds } });
    });
    const open: string[] = [];
    opened.page.on('websocket', (socket) => {
      if (socket.url().includes('/ws/events')) return;
      open.push('opened');
      socket.on('close', () => open.push('closed'));
    });
    await opened.page.reload();
    await composerOf(opened.page).waitFor();
    const answer = blockedAnswer();
    await send(opened.page, answer.words);
    await shows(opened.page, 'w1 w2 w3');
    await waitUntil('the end of the first socket', () => (open.includes('closed') ? true : undefined));
    expect(open.slice(0, 3)).toEqual(['opened', 'opened', 'closed']);
    expect(timesIn('w1 w2 w3', await logOf(opened.page))).toBe(1);
    answer.release();
    await expectStoredOnce(opened);
  });

  test('switches the composer off and keeps the draft when the chat is deleted elsewhere', async () => {
    const { page, user, chatId } = await openChat(served);
    await composerOf(page).fill('half a thought');
    expect((await user.client.delete(`/api/chats/${chatId}`)).status).toBe(204);
    await page.getByText('This chat was deleted, or you no longer have access to it.').first().waitFor();
    await page.keyboard.press('Enter');
    expect(await composerOf(page).inputValue()).toBe('half a thought');
    expect(await page.getByRole('button', { name: 'Send' }).getAttribute('aria-disabled')).toBe('true');
  });

  test('switches the composer off and keeps the draft of a member who is removed', async () => {
    const { user: host } = await openChat(served);
    const member = await registerColleague(served.backend.api, host, 'member');
    const { json: agents } = await host.client.get<{ id: string }[]>('/api/agents');
    const chat = await member.client.post<{ id: string }>('/api/chats', { agent_id: agents[0]?.id, title: 'Mine' });
    const page = await served.open();
    await signInAt(page, `${served.url}/o/${host.orgId}/chats/${chat.json.id}`, member);
    await composerOf(page).fill('half a thought');
    const { status } = await host.client.delete(`/api/orgs/${host.orgId}/members/${member.id}`);
    expect(status).toBe(204);
    await page.getByText('This chat was deleted, or you no longer have access to it.').first().waitFor();
    expect(await composerOf(page).inputValue()).toBe('half a thought');
  });

  test('stores a message once whose answer was lost, and keeps one that is sent while offline', async () => {
    const opened = await openChat(served);
    let isLost = false;
    await opened.page.route('**/api/chats/*/stream', async (route) => {
      if (isLost) return route.continue();
      isLost = true;
      // The server has taken it; the page is not told.
      await fetch(route.request().url(), {
        method: 'POST',
        headers: await route.request().allHeaders(),
        body: route.request().postData(),
      });
      return route.abort('connectionreset');
    });
    await send(opened.page, '[[say one]]');
    await shows(opened.page, 'one');
    await opened.page.context().setOffline(true);
    await send(opened.page, '[[say two]]');
    await opened.page.getByText('sending').waitFor();
    await opened.page.context().setOffline(false);
    await showsStored(opened.page, 2);
    expect(await storedAnswers(opened)).toEqual(['one', 'two']);
    await waitUntil('no message on its way', async () =>
      (await opened.page.getByRole('list', { name: 'Queued messages' }).count()) === 0 ? true : undefined,
    );
  });

  test('keeps a message that is refused, and gives it back', async () => {
    const { page, user, chatId } = await openChat(served);
    await page.route('**/api/chats/*/stream', async (route) =>
      route.fulfill({ status: 409, json: { detail: 'The organization has no room' } }),
    );
    await send(page, 'a long thought');
    await page.getByText('not sent: The organization has no room').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    expect(await composerOf(page).inputValue()).toBe('a long thought');
    expect(await storedAnswers({ user, chatId })).toEqual([]);
  });

  test('sends nothing by the Enter that ends the composition of an input method', async () => {
    const { page, user, chatId } = await openChat(served);
    await composerOf(page).focus();
    const client = await page.context().newCDPSession(page);
    await client.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 });
    await page.keyboard.press('Enter');
    // Some input methods end the composition first, and give the key the code of a key that they have taken.
    await client.send('Input.insertText', { text: '日本' });
    for (const type of ['rawKeyDown', 'keyUp'] as const)
      await client.send('Input.dispatchKeyEvent', { type, key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 });
    expect(await composerOf(page).inputValue()).toContain('日本');
    await page.keyboard.press('Enter');
    await showsStored(page);
    const { json } = await user.client.get<{ role: string; content: string }[]>(`/api/chats/${chatId}/messages`);
    expect(json.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual(['日本']);
  });

  test('shows what a model writes as text, whatever it is', async () => {
    const { page } = await openChat(served);
    const hostile = [
      '<script>alert(1)</script>',
      '[a](javascript:alert(1)) [b](data:text/html,x) ![c](https://e.com/leak.png)',
      '<img src=x onerror=alert(1)>',
      '`user\u202Etxt.exe`',
      '**bold**',
    ].join('\n\n');
    served.backend.model.script({ kind: 'answer', text: hostile });
    await send(page, 'go');
    await showsStored(page);
    served.backend.model.script(null);
    const log = page.getByRole('log');
    expect(await log.locator('img, script, a[href^="javascript"], a[href^="data"]').count()).toBe(0);
    await shows(page, 'user⟨U+202E⟩txt.exe');
    expect(await log.locator('a[href="https://e.com/leak.png"]').count()).toBe(1);
  });

  test('shows an answer as it is written where no WebSocket comes through, and says that this is slow', async () => {
    const prepare = async (page: Page) => page.routeWebSocket('**/ws/chat/*', async (socket) => socket.close());
    const opened = await openChat(served, { prepare });
    await opened.page.getByText('Live updates are slow').waitFor();
    const answer = blockedAnswer();
    await send(opened.page, answer.words);
    await shows(opened.page, 'w1 w2 w3');
    answer.release();
    await expectStoredOnce(opened);
  });

  test('takes a line of a megabyte, and goes on to be used', async () => {
    const opened = await openChat(served);
    await send(opened.page, '[[bigchunk 1MB]]');
    await showsStored(opened.page);
    const [stored = ''] = await storedAnswers(opened);
    expect(stored.length).toBeGreaterThanOrEqual(1_000_000);
    expect(await nodesOf(opened.page)).toBeLessThan(1_000);
    await send(opened.page, '[[say next]]');
    await showsStored(opened.page, 2);
    await shows(opened.page, 'next');
  });
});

async function nodesOf(page: Page): Promise<number> {
  return page.getByRole('log').evaluate((log) => log.querySelectorAll('*').length);
}
