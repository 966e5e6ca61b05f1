import { setTimeout as sleep } from 'node:timers/promises';
import { createChat, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { startScriptedModel } from '../support/scripted-model/index.ts';
import type { FromNeighbour, ToNeighbour } from './neighbour.ts';
import { PATIENCE_MS } from './patience.ts';

// An organization that only wants to work: a message a second, answered by a model of its own. A process of its own, so
// that what the attackers' side does costs it nothing but its share of the machine.

const CHATS = 12;
const INTERVAL_MS = 1_000;

const model = await startScriptedModel({ journalLimit: 10 });
report({ type: 'model', port: model.port });
process.on('disconnect', () => process.exit());
process.once('message', ({ url }: ToNeighbour) => void work(url));

async function work(url: string): Promise<void> {
  const user = await registerUser(url);
  await createProvider(user.client, model.url);
  const chats = await Promise.all(Array.from({ length: CHATS }, async () => createChat(user.client)));
  const { email, password, accessToken } = user;
  report({ type: 'ready', email, password, accessToken });
  const startedAt = performance.now();
  for (let index = 0; ; index += 1) {
    void take(user, chats[index % CHATS] ?? '', index);
    await sleep(Math.max(0, startedAt + (index + 1) * INTERVAL_MS - performance.now()));
  }
}

async function take(user: TestUser, chatId: string, index: number): Promise<void> {
  const sentAt = Date.now();
  report({ type: 'sent', index, sentAt });
  const from = performance.now();
  const failure = await send(user, chatId, `Hello, number ${index}`).catch((error: unknown) => String(error));
  report({ type: 'ended', index, tookMs: failure === undefined ? performance.now() - from : PATIENCE_MS, failure });
}

/** Sends a message and reads until its answer is there; answers why it is not. */
async function send({ client }: TestUser, chatId: string, content: string): Promise<string | undefined> {
  const response = await fetch(`${client.url}/api/chats/${chatId}/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.token ?? ''}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  if (response.status !== 200) return `HTTP ${response.status}: ${await response.text()}`;
  let text = '';
  for await (const part of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.includes('\nevent: stream_end') || text.startsWith('event: stream_end')) return undefined;
  }
  return `no end in ${text.slice(-300)}`;
}

function report(message: FromNeighbour): void {
  process.send?.(message);
}
