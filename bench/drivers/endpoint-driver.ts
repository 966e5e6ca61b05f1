import { createKey, registerUsers } from './bench-users.ts';
import { EndpointClient, ENDPOINTS } from './endpoint-client.ts';
import { report, serveCommands } from './serve-commands.ts';

// Clients of another protocol, as a process of its own: `node endpoint-driver.ts <url of the api> <url of the model>
// <at once> <endpoint>`.

const [apiUrl = '', modelUrl = '', count = '1', name] = process.argv.slice(2);
const endpoint = ENDPOINTS.find((known) => known === name);
if (endpoint === undefined) throw new Error(`there is no endpoint ${name}`);
const users = await Promise.all(
  (await registerUsers({ apiUrl, modelUrl }, Number(count))).map(async ({ user, agentId }) => ({
    key: await createKey(user),
    agentId,
  })),
);
const client = new EndpointClient(apiUrl, endpoint, Number(count));
serveCommands(async (at, content = 'What is the weather like in Lisbon today?') => {
  const user = users[at];
  if (user === undefined) throw new Error(`there is no user ${at}`);
  return client.runTurn(user, content);
});
report({ type: 'ready', workflowIds: [] });
