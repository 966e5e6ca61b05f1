import { createKey, registerUsers } from './bench-users.ts';
import { DoorClient, DOORS } from './door-client.ts';
import { serveCommands, tell } from './serve-commands.ts';

// Clients of another protocol, as a process of its own: `node door-driver.ts <url of the api> <url of the model>
// <at once> <door>`.

const [apiUrl = '', modelUrl = '', count = '1', name] = process.argv.slice(2);
const door = DOORS.find((known) => known === name);
if (door === undefined) throw new Error(`there is no door ${name}`);
const users = await Promise.all(
  (await registerUsers({ apiUrl, modelUrl }, Number(count))).map(async ({ user, agentId }) => ({
    key: await createKey(user),
    agentId,
  })),
);
const client = new DoorClient(apiUrl, door, Number(count));
serveCommands(async (at, content = 'What is the weather like in Lisbon today?') => {
  const user = users[at];
  if (user === undefined) throw new Error(`there is no user ${at}`);
  return client.runTurn(user, content);
});
tell({ type: 'ready', workflowIds: [] });
