import type { Browser, Page } from 'playwright-core';
import { composerOf, send } from '../../../test/support/console/opened-chat.ts';
import type { Instance } from '../../instance/instance.ts';
import { ModelControl } from '../../instance/model-control.ts';
import { makeChat, type OwnedChat } from './measure-chat.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { openSignedIn } from './open-browser.ts';

const TOKENS_OF_ANSWER = 6_000;
const TOKEN = 'word ';
const ANSWER_LIMIT_MS = 120_000;
const BYTES_OF_MB = 1_000_000;

/** Streams so many tokens into a chat, answer by answer, and returns what its page then holds, in MB. */
export async function measureHeap(browser: Browser, instance: Instance, tokens: number): Promise<number> {
  const model = new ModelControl(instance.model.url);
  await model.answer({ text: answerOf(TOKENS_OF_ANSWER), pieceChars: TOKEN.length });
  const chat = await makeChat(instance, 0);
  const page = await openSignedIn(browser, instance.apiUrl, chat.user, `/chats/${chat.id}`);
  await composerOf(page).waitFor();
  for (let streamed = 0; streamed < tokens; streamed += TOKENS_OF_ANSWER) {
    const question = `go on after ${streamed}`;
    await send(page, question);
    await waitUntil('its answer', async () => isAnswered(chat, question), ANSWER_LIMIT_MS);
  }
  await model.followDirectives();
  const bytes = await heapOf(page);
  await page.context().close();
  return bytes / BYTES_OF_MB;
}

async function isAnswered({ user, id }: OwnedChat, question: string): Promise<true | undefined> {
  const { json } = await user.client.get<{ content: string }[]>(`/api/chats/${id}/messages?newest=true&limit=2`);
  return json.length === 2 && json[0]?.content === question ? true : undefined;
}

function answerOf(tokens: number): string {
  const paragraph = `${TOKEN.repeat(60).trim()}.\n\n`;
  return paragraph.repeat(Math.ceil(tokens / 60)).trim();
}

async function heapOf(page: Page): Promise<number> {
  const client = await page.context().newCDPSession(page);
  await client.send('HeapProfiler.collectGarbage');
  const { usedSize } = await client.send('Runtime.getHeapUsage');
  return usedSize;
}
