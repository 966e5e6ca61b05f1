import type { TestApi } from '../test-api.ts';
import type { OpenedChat } from './opened-chat.ts';

/** Markdown of the usual kind, of some 700 characters. */
const ANSWER = [
  'The **second report** differs in `revenue`: it counts [subscriptions](https://example.com/a) by month.',
  '- one point that is long enough to need a second line on a phone, as most of them do\n- another one',
  '```ts\nconst total = rows.reduce((sum, { amount }) => sum + amount, 0);\n```',
  'So the difference is explained by the date on which an invoice is written, and not by its amount. '.repeat(3),
].join('\n\n');

/**
 * Gives a chat `turns` answered questions, `question 1` the oldest, without any model having been asked. Each answer
 * ends with `words`.
 */
export async function fillChat(
  { database }: TestApi,
  { chatId, user }: Pick<OpenedChat, 'chatId' | 'user'>,
  turns: number,
  words = ANSWER,
): Promise<void> {
  const of = [user.orgId, chatId, user.id, turns];
  await database.system.query(
    `insert into turns (id, org_id, chat_id, user_id, status, attempt, step, created_at, started_at, ended_at)
      select uuidv7(), $1, $2, $3, 'completed', 1, 0, at, at, at
      from generate_series(1, $4) n, lateral (select now() - ($4 - n + 1) * interval '1 minute' as at) begun order by n`,
    of,
  );
  await database.system.query(
    `insert into messages (id, org_id, chat_id, turn_id, role, content, user_id, created_at, updated_at)
      select uuidv7(created_at - now()), $1, $2, id, role,
        case when role = 'user' then 'question ' || n else 'answer ' || n || E'\\n\\n' || $5 end, $3, created_at, created_at
      from (select *, row_number() over (order by seq) as n from turns where chat_id = $2 limit $4) numbered
        cross join (values ('user'), ('assistant')) roles (role) order by seq, role desc`,
    [...of, words],
  );
}
