import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import type { PastExchange } from '../../domain/completions.ts';
import { NEW_MESSAGES } from '../../domain/core/due-work.ts';
import type { Membership } from '../../domain/orgs.ts';
import { afterCommit } from '../core/after-commit.ts';

interface PastOfChat {
  readonly chatId: string;
  readonly agentId: string;
  readonly past: readonly PastExchange[];
}

/** Adds the messages of an earlier conversation to a new chat, as turns that have ended. Nobody is notified of them. */
export async function addPastTurns(
  em: EntityManager,
  { orgId, userId }: Membership,
  { chatId, agentId, past }: PastOfChat,
): Promise<void> {
  if (past.length === 0) return;
  const rows = past.map(({ question, answer }, position) => ({
    position,
    turn_id: uuidv7(),
    question_id: uuidv7(),
    answer_id: uuidv7(),
    question,
    answer,
  }));
  await em.execute(ADD, [JSON.stringify(rows), orgId, chatId, userId, orgId, chatId, agentId, userId]);
  afterCommit(em, { dueWork: [NEW_MESSAGES] });
}

const ADD = `with given as (
    select * from jsonb_to_recordset(?::jsonb) as g (
      position int, turn_id uuid, question_id uuid, answer_id uuid, question text, answer text
    )
  ),
  turn as (
    insert into turns (id, org_id, chat_id, user_id, status, step, started_at, ended_at)
    select turn_id, ?::uuid, ?::uuid, ?::uuid, 'completed', 0, now(), now() from given order by position
  ),
  said as (
    select position, question_id as id, turn_id, 'user' as role, question as content, '{}'::jsonb as metadata
    from given where question is not null
    union all
    select position, answer_id, turn_id, 'assistant', answer,
      jsonb_build_object('status', 'completed', 'turn_id', turn_id, 'imported', true)
    from given where answer is not null
  )
  insert into messages (id, org_id, chat_id, turn_id, role, content, metadata, agent_id, user_id)
  select id, ?::uuid, ?::uuid, turn_id, role, content, metadata, ?::uuid, case when role = 'user' then ?::uuid end
  from said order by position, role desc`;
