import pg from 'pg';
import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../../test/support/factories.ts';
import { ChatClient } from '../drivers/chat-client.ts';
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

/** A chat and who owns it. */
interface OwnedChat {
  readonly id: string;
  readonly user: TestUser;
}

/** Letters of a question, and of an answer: about 400 tokens for both. */
const QUESTION_LENGTH = 400;
const ANSWER_LENGTH = 1_200;

/** Gives a chat so many messages, as if they had been asked and answered. */
export async function fillChat(databaseUrl: string, { id, user }: OwnedChat, messages: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `with past as (
        insert into turns (id, org_id, chat_id, user_id, status, attempt, step, started_at, ended_at)
        select uuidv7(), $1, $2, $3, 'completed', 1, 0, now(), now() from generate_series(1, $4::int)
        returning id, seq
      )
      insert into messages (id, org_id, chat_id, turn_id, role, content, metadata)
      select uuidv7(), $1, $2, past.id, said.role, repeat('lorem ipsum dolor sit amet. ', said.length / 28),
        case said.role when 'user' then '{}' else '{"status": "completed"}' end::jsonb
      from past, (values (1, 'user', $5::int), (2, 'assistant', $6::int)) as said (place, role, length)
      order by past.seq, said.place`,
      [user.orgId, id, user.id, Math.floor(messages / 2), QUESTION_LENGTH, ANSWER_LENGTH],
    );
    // As autovacuum does for a table that has grown.
    await client.query('analyze turns, messages');
  } finally {
    await client.end();
  }
}
