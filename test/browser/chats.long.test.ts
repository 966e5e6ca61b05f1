import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createAgent } from '../support/factories.ts';
import { brokenRules, describeConsoleAtWork, takeShot } from '../support/console/browsed-console.ts';
import { composerOf, openChat, send, shows } from '../support/console/opened-chat.ts';

describeConsoleAtWork('a chat in the console', (served) => {
  test('shows the work of sub-agents where it was handed out, and is stopped with them', async () => {
    const { page, user } = await openChat(served, { agent: { tools: ['agent_spawn'] } });
    await createAgent(user.client, { name: 'Scout' });
    const gate = randomUUID();
    const task = `[[slow 9 chunks every 1ms]] [[hold ${gate} after 3 chunks]]`;
    await send(page, `[[tool agent_spawn ${JSON.stringify({ agent: 'Scout', task })}]]`);
    const card = page.getByRole('region', { name: 'Scout', exact: true });
    await card.waitFor();
    await card.getByText('Output').click();
    await card.getByText('w1 w2 w3').waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText(/^Stopped before this was done: .*Scout/).waitFor();
    served.backend.model.release(gate);
  });

  test('leaves somebody alone who reads further up, and leads back to what is new', async () => {
    const { page } = await openChat(served);
    await send(page, `[[say ${'long '.repeat(1_500)}]]`);
    await page.getByRole('button', { name: 'Copy as Markdown' }).waitFor();
    const log = page.getByRole('log');
    await log.evaluate((element) => element.scrollTo(0, 0));
    await page.getByRole('button', { name: 'Jump to the end' }).waitFor();
    const gate = randomUUID();
    await send(page, `[[slow 9 chunks every 1ms]] [[hold ${gate} after 3 chunks]]`);
    served.backend.model.release(gate);
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
    expect(await log.evaluate(({ scrollTop }) => scrollTop)).toBeLessThan(50);
    await page.getByRole('button', { name: 'New text below' }).click();
    await shows(page, 'w9');
  });

  test('keeps a draft through a reload, and shows Markdown of a model without its HTML', async () => {
    const { page } = await openChat(served);
    const field = composerOf(page);
    await field.fill('half a thought');
    await page.reload();
    await field.waitFor();
    expect(await field.inputValue()).toBe('half a thought');
    await send(page, '[[say **bold** <img src=x onerror=alert(1)>]]');
    await page.getByRole('log').locator('strong', { hasText: 'bold' }).waitFor();
    expect(await page.getByRole('log').locator('img').count()).toBe(0);
  });

  test('breaks no rule of accessibility, wide and on a phone', async () => {
    const { page } = await openChat(served, { agent: { tools: ['time_now'] } });
    await send(page, '[[tool time_now {}]] [[then]] [[say # Report\n\n[words](https://e.com)\n\n| a |\n|---|\n| 1 |]]');
    await page.getByRole('button', { name: 'Copy as Markdown' }).waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'chat');
    await page.setViewportSize({ width: 390, height: 780 });
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await page.reload();
    await page.getByRole('button', { name: 'Copy as Markdown' }).waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await takeShot(page, 'chat-phone');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });
});
