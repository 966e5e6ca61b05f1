import { createChat } from '../../test/support/factories.ts';
import { registerUsers } from './bench-users.ts';
import { ChatClient } from './chat-client.ts';
import { report, serveCommands } from './serve-commands.ts';

// The users of standing chats, as a process of its own: `node chat-driver.ts <url of the api> <url of the model>
// <chats> [<tools>]`.

const [apiUrl = '', modelUrl = '', count = '1', tools = ''] = process.argv.slice(2);
const target = { apiUrl, modelUrl, tools: tools.split(',').filter((key) => key !== '') };
const chats: ChatClient[] = [];
const workflowIds: string[] = [];
for (const { user, agentId } of await registerUsers(target, Number(count))) {
  const chatId = await createChat(user.client, agentId);
  chats.push(await ChatClient.connect(apiUrl, chatId, user.accessToken));
  workflowIds.push(`chat/${user.orgId}/${chatId}`);
}
serveCommands(async (at, content = 'What is the weather like in Lisbon today?') => {
  const client = chats[at];
  if (client === undefined) throw new Error(`there is no chat ${at}`);
  return client.runTurn(content);
});
report({ type: 'ready', workflowIds });
