import {
  createAgent,
  createChat,
  createProvider,
  registerUser,
  type TestUser,
} from '../../../test/support/factories.ts';
import { RealServer } from '../../../test/support/mcp/real-server.ts';
import { ChatClient } from '../../drivers/chat-client.ts';
import { addedMs, compareTurns, firstTokenMs } from '../../loads/timed-turn.ts';
import { latencyRow } from '../../loads/latency.ts';
import { figure, printHeading, printRows } from '../../report/target.ts';
import type { Bench, SectionResult } from '../../section.ts';

const SKILLS = 10;
/** A difference of two milliseconds is looked for in turns that vary by twenty. */
const TURNS_FACTOR = 4;

/** Measures and prints what ten skills, a persona and two MCP servers add before the first token. */
export async function measureEquippedAgent({ instance, options, undo }: Bench): Promise<SectionResult> {
  const user = await registerUser(instance.apiUrl);
  await createProvider(user.client, instance.model.url);
  const servers = [await RealServer.everything(), await RealServer.everything()];
  for (const server of servers) undo.add(async () => server.close());
  const mcps = await Promise.all(servers.map(async ({ url }, at) => ({ id: await addServer(user, `s${at}`, url) })));
  const { json: skills } = await user.client.get<{ key: string }[]>('/api/skills');
  const [persona] = (await user.client.get<{ id: string }[]>('/api/personas')).json;
  const equipped = {
    skills: skills.slice(0, SKILLS).map(({ key }) => key),
    persona_id: persona?.id,
    tools: ['mcp'],
    mcps,
  };
  const open = async (fields: Record<string, unknown>) => {
    const id = await createChat(user.client, await createAgent(user.client, fields));
    return { user, id, client: await ChatClient.connect(instance.apiUrl, id, user.accessToken) };
  };
  const chats = { plain: await open({}), other: await open(equipped) };
  const turns = await compareTurns(instance, chats, options.comparedTurns * TURNS_FACTOR);
  for (const { client } of Object.values(chats)) client.close();
  const added = addedMs(turns, firstTokenMs);
  printHeading(`First token of a plain and of an equipped agent, ${turns.plain.length} turns of each (ms)`);
  printRows([
    ['', 'p50', 'p95'],
    latencyRow('plain', turns.plain.map(firstTokenMs)),
    latencyRow(`with ${SKILLS} skills, a persona and ${servers.length} MCP servers`, turns.other.map(firstTokenMs)),
    ['what they add, median of the pairs', figure(added), ''],
  ]);
  return {
    targets: [
      {
        name: 'what skills, persona, MCP add to the first token, p50',
        measured: added,
        bound: 2,
        better: 'less',
        unit: 'ms',
      },
    ],
  };
}

async function addServer({ client }: TestUser, name: string, url: string): Promise<string> {
  const { json: server } = await client.post<{ id: string }>('/api/mcp-servers', { name, url });
  const { json: tools } = await client.post<unknown[]>(`/api/mcp-servers/${server.id}/tools/fetch`);
  if (tools.length === 0) throw new Error(`the server ${name} shows no tools`);
  return server.id;
}
