import { randomUUID } from 'node:crypto';
import type { TestApi } from '../test-api.ts';
import type { OpenedChat } from './opened-chat.ts';

/** A turn that was stored with what happened in it. */
export interface FilledTurn {
  readonly turnId: string;
}

/**
 * Gives a chat a turn of 50 steps that lasted an hour, with `calls` calls: in each step one that failed and one whose
 * outcome is unknown, and a long pause in the middle. No model was asked.
 */
export async function fillTrace(
  { database }: TestApi,
  { chatId, user }: Pick<OpenedChat, 'chatId' | 'user'>,
  calls: number,
): Promise<FilledTurn> {
  const turnId = randomUUID();
  const { system } = database;
  await system.query(
    `insert into turns (id, org_id, chat_id, user_id, status, attempt, step, created_at, started_at, ended_at)
      values ($1, $2, $3, $4, 'completed', 1, 50, now() - interval '1 hour', now() - interval '1 hour' + interval '40 ms', now())`,
    [turnId, user.orgId, chatId, user.id],
  );
  await system.query(
    `insert into messages (id, org_id, chat_id, turn_id, role, content, user_id)
      values (gen_random_uuid(), $2, $3, $1, 'user', 'Compare all of the reports of the last ten years.', $4)`,
    [turnId, user.orgId, chatId, user.id],
  );
  await system.query(
    `insert into model_steps (turn_id, step, org_id, text, created_at, trace)
      select $1, n, $2, '', at + interval '3 s', jsonb_build_array(jsonb_build_object('at', at, 'tries', jsonb_build_array(
        jsonb_build_object('account', 'Team account', 'accountId', null, 'providerType', 'openai', 'model', 'gpt-5',
          'startedAt', at, 'firstTokenAt', at + interval '700 ms', 'endedAt', at + interval '3 s', 'outcome', 'replied'))))
      from generate_series(0, 49) n, lateral (select ${beginOf('n')} as at) begun`,
    [turnId, user.orgId],
  );
  await system.query(
    `insert into tool_calls (id, org_id, turn_id, step, position, name, label, arguments, effect, status, result, tries,
        started_at, ended_at)
      select gen_random_uuid(), $2, $1, step, position, 'http_request', format('GET example.com/reports/%s', n),
        jsonb_build_object('url', format('https://example.com/reports/%s', n)), 'once',
        case position when 3 then 'error' when 7 then 'unknown' else 'success' end, 'a report', 1,
        at + position * interval '60 ms', at + position * interval '60 ms' + interval '900 ms'
      from (select n, n / ($3::int / 50) as step, n % ($3::int / 50) as position from generate_series(0, $3::int - 1) n) numbered,
        lateral (select ${beginOf('step')} + interval '3 s' as at) begun`,
    [turnId, user.orgId, calls],
  );
  return { turnId };
}

// Forty minutes of nothing after the first half.
const beginOf = (step: string) =>
  `now() - interval '1 hour' + interval '1 s' + ${step} * interval '12 s' + case when ${step} >= 25 then interval '40 min' else '0' end`;
