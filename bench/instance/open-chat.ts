import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../../test/support/factories.ts';
import { ChatClient } from '../drivers/chat-client.ts';
import { fillChat } from './fill-chat.ts';
import type { Instance } from './instance.ts';

/** A chat of a user of its own, with a client that watches it. */
export interface OpenChat {
  readonly user: TestUser;
  readonly id: string;
  readonly client: ChatClient;
}

interface ChatOptions {
  /** Tools of the chat's agent. */
  readonly tools?: readonly string[];
  /** Names of further agents, which may hand out work themselves. */
  readonly delegates?: readonly string[];
  /** The number of messages it holds already. */
  readonly messages?: number;
}

/** Opens a chat in an organization that has one account, which leads to the scripted model. */
export async function openChat(
  { apiUrl, model, databaseUrl }: Instance,
  { tools = [], delegates = [], messages = 0 }: ChatOptions = {},
): Promise<OpenChat> {
  const user = await registerUser(apiUrl);
  await createProvider(user.client, model.url);
  for (const name of delegates) await createAgent(user.client, { name, tools: ['agent_spawn'] });
  const id = await createChat(user.client, await createAgent(user.client, { tools }));
  // Before anybody watches, or the viewers would be told that all these turns have ended.
  if (messages > 0) await fillChat(databaseUrl, { user, id }, messages);
  return { user, id, client: await ChatClient.connect(apiUrl, id, user.accessToken) };
}
