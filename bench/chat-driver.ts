import { once } from 'node:events';
import { WebSocket } from 'ws';
import { createChat, createProvider, registerUser, type TestUser } from '../test/support/factories.ts';
import { preciseNow } from '../test/support/scripted-model/index.ts';
import { serveCommands, tell } from './closed-loop.ts';
import type { TurnTimes } from './driver-protocol.ts';

// The users, as a process of its own: `node chat-driver.ts <url of the api> <url of the model> <chats>`.

/** A user may hold 50 sockets, and several organizations are what the product is for. */
const CHATS_OF_A_USER = 16;
const TURN_LIMIT_MS = 30_000;

/** What the api sends over a chat's socket, as far as it matters here. */
interface Frame {
  readonly type: 'chunk' | 'stream_end' | 'error' | 'pong';
  readonly message?: string;
}

/** A client of one chat. */
class ChatClient {
  readonly #socket: WebSocket;
  #onFrame: (frame: Frame) => void = () => undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => this.#onFrame(JSON.parse(data.toString()) as Frame));
  }

  static async connect(apiUrl: string, chatId: string, token: string): Promise<ChatClient> {
    const socket = new WebSocket(`${apiUrl.replace('http', 'ws')}/ws/chat/${chatId}?token=${token}`);
    await once(socket, 'open');
    return new ChatClient(socket);
  }

  async runTurn(content: string): Promise<TurnTimes> {
    return new Promise((resolve, reject) => {
      let firstAt: number | undefined;
      const limit = setTimeout(() => reject(new Error('no answer')), TURN_LIMIT_MS);
      this.#onFrame = ({ type, message }) => {
        const now = preciseNow();
        if (type === 'chunk') firstAt ??= now;
        if (type !== 'stream_end' && type !== 'error') return;
        clearTimeout(limit);
        if (type === 'error' || firstAt === undefined) reject(new Error(message ?? 'no chunk'));
        else resolve({ sentAt, firstAt, endedAt: now });
      };
      const sentAt = preciseNow();
      this.#socket.send(JSON.stringify({ type: 'message', content }));
    });
  }
}

async function connectChats(apiUrl: string, modelUrl: string, count: number): Promise<[ChatClient, string][]> {
  const clients: [ChatClient, string][] = [];
  let user: TestUser | undefined;
  for (let at = 0; at < count; at += 1) {
    if (user === undefined || at % CHATS_OF_A_USER === 0) {
      user = await registerUser(apiUrl);
      await createProvider(user.client, modelUrl);
    }
    const chatId = await createChat(user.client);
    clients.push([await ChatClient.connect(apiUrl, chatId, user.accessToken), `chat/${user.orgId}/${chatId}`]);
  }
  return clients;
}

const [apiUrl = '', modelUrl = '', count = '1'] = process.argv.slice(2);
const chats = await connectChats(apiUrl, modelUrl, Number(count));
serveCommands(async (at) => {
  const [client] = chats[at] ?? [];
  if (client === undefined) throw new Error(`there is no chat ${at}`);
  return client.runTurn('What is the weather like in Lisbon today?');
});
tell({ type: 'ready', workflowIds: chats.map(([, workflowId]) => workflowId) });
