import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { Undo } from '../support/undo.ts';
import { PatientModel } from './patient-model.ts';
import { startWatchedInstallation, type WatchedInstallation } from './watched-installation.ts';

/** `EVERTURN_LONG_CHATS=40 npm run test:long -- test/memory/long-chats` has as many as one account may have at work. */
const CHATS = Number(process.env['EVERTURN_LONG_CHATS'] ?? 12);
/** Twice what a worker takes at rest, and less than the conversations take together. */
const HEAP_MEGABYTES = 160;
const MESSAGES = 20;
/** Just below the longest message; one character beyond Latin-1 makes the engine keep two bytes for each. */
const LONG_TEXT = `${'Lorem ipsum dolor sit amet. '.repeat(6_785)}→`;
/** A model whose window takes the whole conversation. */
const MODEL = { model_name: 'gpt-4.1' };

const undo = new Undo();
let model: PatientModel;
let installation: WatchedInstallation;
beforeAll(async () => {
  model = await PatientModel.start();
  undo.add(async () => model.close());
  installation = await startWatchedInstallation(undo, {
    workerHeapMegabytes: HEAP_MEGABYTES,
    privateHost: `127.0.0.1:${model.port}`,
  });
});
afterAll(async () => undo.all());

/** Sends a message and reads its answer to the end. */
async function ask({ accessToken }: TestUser, chatId: string, content: string): Promise<void> {
  const response = await fetch(`${installation.apiUrl}/api/chats/${chatId}/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content }),
  });
  const events = await response.text();
  if (!events.includes('event: stream_end')) throw new Error(`no answer: ${response.status} ${events.slice(0, 500)}`);
}

/** Has a long conversation, and returns the user with copies of it. */
async function haveLongChats(): Promise<{ readonly user: TestUser; readonly chatIds: readonly string[] }> {
  const user = await registerUser(installation.apiUrl);
  await createProvider(user.client, model.url, MODEL);
  const chatId = await createChat(user.client, await createAgent(user.client));
  for (let sent = 0; sent < MESSAGES; sent += 1) await ask(user, chatId, LONG_TEXT);
  const chatIds = [chatId];
  while (chatIds.length < CHATS) {
    const { status, json } = await user.client.post<{ id: string }>(`/api/chats/${chatId}/fork`, {});
    if (status !== 201) throw new Error(`the fork answered ${status}: ${JSON.stringify(json)}`);
    chatIds.push(json.id);
  }
  return { user, chatIds };
}

test('a worker survives the long chats of one account whose provider keeps them waiting, and answers others in the meantime', async () => {
  const { apiUrl, model: ownModel, worker } = installation;
  const neighbour = await registerUser(apiUrl);
  await createProvider(neighbour.client, ownModel.url);
  const chatOfNeighbour = await createChat(neighbour.client);
  const { user, chatIds } = await haveLongChats();
  const atRest = await worker.usedBytes();
  model.block();
  const answers = Promise.all(chatIds.map(async (chatId) => ask(user, chatId, 'Go on.')));
  answers.catch(() => undefined);
  const waits: number[] = [];
  while (model.open < CHATS && worker.ending() === undefined) {
    const from = performance.now();
    const answered = ask(neighbour, chatOfNeighbour, 'Hello.').then(() => waits.push(performance.now() - from));
    await Promise.race([answered.catch(() => undefined), worker.ended]);
  }
  expect(worker.ending()).toBeUndefined();
  const used = await worker.usedBytes();
  const most = Math.max(...waits);
  process.stdout.write(
    `heap at rest ${atRest}, with ${CHATS} long chats that wait ${used}; ` +
      `${waits.length} answers to a neighbour meanwhile, the longest after ${Math.round(most)} ms\n`,
  );
  // The rows alone take 7.6 MB for each, the transcript and the request as much again.
  expect(used - atRest).toBeLessThan(CHATS * 3_000_000);
  expect(waits.length).toBeGreaterThan(0);
  model.letGo();
  await answers;
});
