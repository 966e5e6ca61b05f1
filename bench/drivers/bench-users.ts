import { createAgent, createProvider, registerUser, type TestUser } from '../../test/support/factories.ts';

/**
 * A user runs at most 40 turns at once and holds at most 50 sockets, and several organizations are what the product is
 * for.
 */
const CHATS_OF_A_USER = 16;

/** A user whose agent talks to the model. */
interface BenchUser {
  readonly user: TestUser;
  readonly agentId: string;
}

interface Target {
  readonly apiUrl: string;
  readonly modelUrl: string;
  /** Tools of the agents. */
  readonly tools?: readonly string[];
}

/** Registers enough users for so many chats, each in an organization of their own; returns who has each chat. */
export async function registerUsers({ apiUrl, modelUrl, tools = [] }: Target, chats: number): Promise<BenchUser[]> {
  const users: BenchUser[] = [];
  for (let count = 0; count < chats; count += CHATS_OF_A_USER) {
    const user = await registerUser(apiUrl);
    await createProvider(user.client, modelUrl);
    users.push({ user, agentId: await createAgent(user.client, { tools }) });
  }
  return Array.from({ length: chats }, (_, at) => users[Math.floor(at / CHATS_OF_A_USER)]).filter(
    (user) => user !== undefined,
  );
}

/** Creates an API key of a user, and returns it. */
export async function createKey({ client }: Pick<TestUser, 'client'>): Promise<string> {
  const { status, json } = await client.post<{ key: string }>('/api/users/me/api-keys', { name: 'Bench' });
  if (status !== 201) throw new Error(`the creation of an API key answered ${status}`);
  return json.key;
}
