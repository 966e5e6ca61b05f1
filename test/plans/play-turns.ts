import { randomUUID } from 'node:crypto';
import { ApiClient } from '../support/api-client.ts';
import { createChat } from '../support/factories.ts';
import { SocketClient } from '../support/socket-client.ts';
import { SseClient } from '../support/sse-client.ts';
import type { TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Who speaks, and in which chats. */
interface Speaker {
  readonly accessToken: string;
  readonly agentId: string;
  /** A chat that has been used before. */
  readonly chatId: string;
}

const remember = ['add', 'search'].map((action) => `[[tool memory_manage {"action":"${action}","content":"tea"}]]`);
const spawn = (task: string) => `[[tool agent_spawn ${JSON.stringify({ agent: 'Scout', task })}]]`;
const CALLS = `[[tool time_now {}]] ${remember.join(' ')} ${spawn('[[tool time_now {}]] [[then]] [[say one]]')} ${spawn('[[say two]]')}`;

/**
 * Plays turns with calls, sub-agents, a wait and an interrupt, over sockets and server-sent events, and a conversation
 * that its client keeps.
 */
export async function playTurns(
  { api, model }: TestInstance,
  { accessToken, agentId, chatId }: Speaker,
): Promise<void> {
  const client = new ApiClient(api.url, accessToken);
  const url = (id: string) => `${api.url}/api/chats/${id}/stream`;
  const ask = async (id: string, content: string) =>
    SseClient.open({ url: url(id), token: accessToken, body: { content, client_message_id: randomUUID() } });
  const [asked, answer] = [
    { role: 'user', content: '[[say kept]]' },
    { role: 'assistant', content: 'kept' },
  ];
  for (const messages of [[asked], [asked, answer, asked]])
    await client.post('/v1/chat/completions', { model: agentId, messages });
  const newChat = await createChat(client, agentId);

  const socket = await SocketClient.connect(api.url, chatId, accessToken);
  const first = { type: 'message', content: `${CALLS} [[then]] [[say done]]`, client_message_id: 'first' };
  socket.send(first);
  await socket.waitForEnd();
  // A client that is not sure whether it arrived sends it again; the stored one is found.
  socket.send(first);

  // The second of two at once waits for the slot of the first, which is read anew and then stopped.
  const blocked = await ask(chatId, '[[slow 4 chunks every 20ms]] [[hold gate after 3 chunks]]');
  await blocked.waitFor('text', ({ event }) => event === 'chunk');
  const waiting = await ask(newChat, `${spawn('[[say three]]')} [[then]] [[say waited]]`);
  const isWaiting = async () =>
    (await client.get<{ status: string }>(`/api/chats/${newChat}`)).json.status === 'waiting' ? true : undefined;
  await waitUntil('the turn to wait', isWaiting);
  const again = await SseClient.open({ url: url(chatId), token: accessToken, lastEventId: blocked.lastEventId });
  await client.post(`/api/chats/${chatId}/interrupt`);
  for (const stream of [blocked, again, waiting]) await stream.waitForEnd();
  model.release('gate');
  await client.get(`/api/chats/${newChat}/messages`);
  socket.close();
}
