import type { TestUser } from '../../test/support/factories.ts';
import { createKey, registerUsers } from './bench-users.ts';
import { NewChatClient } from './new-chat-client.ts';
import { report, serveCommands } from './serve-commands.ts';

// Users with API keys who open a new chat for each message, as a process of its own:
// `node new-chat-driver.ts <url of the api> <url of the model> <at once>`.

const [apiUrl = '', modelUrl = '', count = '1'] = process.argv.slice(2);
const users = await registerUsers({ apiUrl, modelUrl }, Number(count));
const keys = new Map<TestUser, string>();
for (const { user } of users) {
  if (!keys.has(user)) keys.set(user, await createKey(user));
}
const client = new NewChatClient(apiUrl, Number(count));
serveCommands(async (at, content = 'What is the weather like in Lisbon today?') => {
  const asker = users[at];
  if (asker === undefined) throw new Error(`there is no user ${at}`);
  const { user, agentId } = asker;
  return client.runTurn({ key: keys.get(user) ?? '', orgId: user.orgId, agentId }, content);
});
report({ type: 'ready', workflowIds: [] });
