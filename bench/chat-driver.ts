import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../test/support/factories.ts';
import { ChatClient } from './chat-client.ts';
import { serveCommands, tell } from './closed-loop.ts';

// The users, as a process of its own: `node chat-driver.ts <url of the api> <url of the model> <chats> [<tools>]`.

/** A user may hold 50 sockets, and several organizations are what the product is for. */
const CHATS_OF_A_USER = 16;

interface Target {
  readonly apiUrl: string;
  readonly modelUrl: string;
  /** Tools of every chat's agent. */
  readonly tools: readonly string[];
}

async function connectChats({ apiUrl, modelUrl, tools }: Target, count: number): Promise<[ChatClient, string][]> {
  const clients: [ChatClient, string][] = [];
  let user: TestUser | undefined;
  for (let at = 0; at < count; at += 1) {
    if (user === undefined || at % CHATS_OF_A_USER === 0) {
      user = await registerUser(apiUrl);
      await createProvider(user.client, modelUrl);
    }
    const chatId = await createChat(user.client, await createAgent(user.client, { tools }));
    clients.push([await ChatClient.connect(apiUrl, chatId, user.accessToken), `chat/${user.orgId}/${chatId}`]);
  }
  return clients;
}

const [apiUrl = '', modelUrl = '', count = '1', tools = ''] = process.argv.slice(2);
const target = { apiUrl, modelUrl, tools: tools.split(',').filter((key) => key !== '') };
const chats = await connectChats(target, Number(count));
serveCommands(async (at, content = 'What is the weather like in Lisbon today?') => {
  const [client] = chats[at] ?? [];
  if (client === undefined) throw new Error(`there is no chat ${at}`);
  return client.runTurn(content);
});
tell({ type: 'ready', workflowIds: chats.map(([, workflowId]) => workflowId) });
