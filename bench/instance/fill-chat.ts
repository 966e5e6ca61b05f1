import pg from 'pg';
import type { TestUser } from '../../test/support/factories.ts';

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
