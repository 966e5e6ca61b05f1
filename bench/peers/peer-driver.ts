import { z } from 'zod';
import { ChatClient } from '../drivers/chat-client.ts';
import { NewChatClient } from '../drivers/new-chat-client.ts';
import { report, type RunTurn, serveCommands } from '../drivers/serve-commands.ts';

// The users of a peer, who need no account, as a process of its own: `node peer-driver.ts <url> <at once>
// <new | standing>`. They chat as those of the product do.

const CONTENT = 'What is the weather like in Lisbon today?';
const chatSchema = z.object({ id: z.string() });

const [url = '', count = '1', shape] = process.argv.slice(2);

async function standingChats(): Promise<RunTurn> {
  const clients: ChatClient[] = [];
  for (let at = 0; at < Number(count); at += 1) {
    const made = await fetch(`${url}/api/chats`, { method: 'POST' });
    clients.push(await ChatClient.connect(url, chatSchema.parse(await made.json()).id, ''));
  }
  return async (at) => {
    const client = clients[at];
    if (client === undefined) throw new Error(`there is no chat ${at}`);
    return client.runTurn(CONTENT);
  };
}

function newChats(): RunTurn {
  const client = new NewChatClient(url, Number(count));
  return async () => client.runTurn({ key: '', orgId: '', agentId: '' }, CONTENT);
}

serveCommands(shape === 'new' ? newChats() : await standingChats());
report({ type: 'ready', workflowIds: [] });
