import { v7 as uuidv7 } from 'uuid';
import type { Membership } from '../../../domain/orgs/index.ts';
import { type Message, MESSAGE_COLUMNS, MESSAGE_JOINS } from '../../chats/index.ts';
import type { Database } from '../../core/index.ts';
import { announceTurnEnd } from '../../stream/index.ts';
import { AFTER_SEQ } from '../ancestors.ts';
import { announceReady } from '../ready-turn.ts';
import { findWithdrawn, type QuestionIds, WAITS_FOR_PERSON } from './queued-question.ts';

interface WithdrawnTurn {
  readonly turnSeq: number;
  readonly afterSeq: number;
  /** The oldest turn that waits in the chat now; null when none does. */
  readonly nextTurnId: string | null;
}

/**
 * Withdraws a message that waits to be answered: its turn ends as interrupted, with an empty answer, and models see
 * neither. Returns the message; again when it was withdrawn before. `conflict` once the turn has begun: its row decides
 * which of both happens.
 */
export async function withdrawTurn(database: Database, owner: Membership, ids: QuestionIds): Promise<Message> {
  const [row] = await database.tenant.query<Message & WithdrawnTurn>(owner.orgId, {
    name: 'withdraw-turn',
    text: WITHDRAW,
    values: [ids.messageId, ids.chatId, owner.userId, uuidv7()],
  });
  if (row === undefined) return findWithdrawn(database, owner, ids);
  const { turnSeq, afterSeq, nextTurnId, ...message } = row;
  // It may have been the one that workers were told of: those behind it are not to wait until they are due.
  const next = nextTurnId === null ? [] : [database.tenant.query(owner.orgId, announceReady(nextTurnId))];
  const end = announceTurnEnd(database, { chatId: ids.chatId, turnId: message.turnId, turnSeq, afterSeq });
  // Both are hints: workers and the viewers' regular look find the rows.
  await Promise.allSettled([...next, end]);
  return message;
}

// The chat is locked first, as by whoever changes messages from one on.
const WITHDRAW = `with asked as materialized (
    select m.turn_id, c.agent_id from messages m join chats c on c.id = m.chat_id
    where m.id = $1 and m.role = 'user' and c.id = $2 and c.user_id = $3 and c.deleted_at is null for no key update of c
  ),
  turn as (
    update turns t set status = 'interrupted', ended_at = now() from asked
    where t.id = asked.turn_id and ${WAITS_FOR_PERSON} returning t.*, asked.agent_id
  ),
  answer as (
    insert into messages (id, org_id, chat_id, turn_id, role, content, metadata, agent_id, user_id, excluded)
    select $4, t.org_id, t.chat_id, t.id, 'assistant', '', jsonb_build_object('status', 'interrupted', 'turn_id', t.id,
      'withdrawn', true, 'tool_call_count', 0, 'tool_calls_detail', '[]'::jsonb, 'sub_agents', '[]'::jsonb,
      'usage', '{"input_tokens": 0, "output_tokens": 0}'::jsonb), t.agent_id, t.user_id, true
    from turn t
  ),
  touched as (update chats set updated_at = now() from turn t where chats.id = t.chat_id),
  m as (update messages set excluded = true, updated_at = now() from turn where messages.id = $1 returning messages.*)
  select ${MESSAGE_COLUMNS}, t.seq as "turnSeq", ${AFTER_SEQ} as "afterSeq", (
      select n.id from turns n where n.chat_id = t.chat_id and n.status = 'queued' and n.id <> t.id and not exists (
        select from turns o where o.chat_id = t.chat_id and o.status = 'running'
      ) order by n.seq limit 1
    ) as "nextTurnId"
  from m join turn t on true ${MESSAGE_JOINS}`;
