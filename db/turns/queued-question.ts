import { v7 as uuidv7 } from 'uuid';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { NEW_MESSAGES } from '../../domain/core/due-work.ts';
import { type Membership, orgLimitReached } from '../../domain/orgs.ts';
import { changedContent, type Message, MESSAGE_COLUMNS, MESSAGE_JOINS } from '../chats/messages.ts';
import type { Database, TenantDatabase } from '../core/database.ts';
import { noteChanged } from '../search/enter-messages.ts';
import { announceTurnEnd } from '../stream/announce-step.ts';
import { deliveriesTo, DUE_CLIENTS, notifyClients } from '../webhooks/notify-webhook.ts';
import { AFTER_SEQ } from './ancestors.ts';
import { announceReady } from './ready-turn.ts';

/** A message in a chat. */
interface QuestionIds {
  readonly chatId: string;
  readonly messageId: string;
}

/** The condition on which `turns t` waits for a person's message to be answered. */
const WAITS_FOR_PERSON = `t.status = 'queued' and t.parent_turn_id is null and t.task_id is null
    and t.run_id is null and not t.is_report`;

/**
 * Returns the question when it was withdrawn before. Otherwise throws why it neither can be withdrawn nor changed:
 * `not_found` for what is no message of the owner's, `conflict` for the rest.
 */
async function findWithdrawn(
  { tenant }: TenantDatabase,
  { orgId, userId }: Membership,
  { chatId, messageId }: QuestionIds,
): Promise<Message> {
  const [row] = await tenant.query<Message & { isWithdrawn: boolean; isOpen: boolean; isPersons: boolean }>(orgId, {
    name: 'question-of-turn',
    text: `select ${MESSAGE_COLUMNS}, t.ended_at is null as "isOpen",
        m.role = 'user' and t.parent_turn_id is null and t.task_id is null and t.run_id is null and not t.is_report as "isPersons",
        exists (
          select from messages answer where answer.turn_id = t.id and answer.role = 'assistant' and answer.metadata -> 'withdrawn' = 'true'
        ) as "isWithdrawn"
      from messages m join turns t on t.id = m.turn_id join chats c on c.id = m.chat_id ${MESSAGE_JOINS}
      where m.id = $1 and m.chat_id = $2 and c.user_id = $3 and c.deleted_at is null`,
    values: [messageId, chatId, userId],
  });
  if (row === undefined) throw notFound('Message');
  const { isWithdrawn, isOpen, isPersons, ...message } = row;
  if (!isPersons) throw new AppError('conflict', 'Only a message that a person has sent can be changed or withdrawn');
  if (isWithdrawn) return message;
  const state = isOpen ? 'is being answered; stop the turn instead' : 'has been answered';
  throw new AppError('conflict', `The message ${state}`);
}

interface ChangedQuestion extends QuestionIds {
  readonly content: string;
  /** The organization's limit on messages, in bytes. */
  readonly maxBytes: number;
}

/**
 * Changes the text of a message that waits to be answered. `conflict` once its turn has begun: a turn is locked while
 * its question changes, so it begins with one text or the other. The search learns of it later.
 */
export async function changeQueuedQuestion(
  database: Pick<Database, 'tenant' | 'follow'>,
  owner: Membership,
  { chatId, messageId, content, maxBytes }: ChangedQuestion,
): Promise<Message> {
  const [changed] = await database.tenant.query<Message | { readonly id: null }>(owner.orgId, {
    name: 'change-queued-question',
    text: CHANGE,
    values: [messageId, chatId, owner.userId, owner.orgId, content, maxBytes],
  });
  if (changed === undefined) {
    await findWithdrawn(database, owner, { chatId, messageId });
    throw new AppError('conflict', 'The message was withdrawn');
  }
  if (changed.id === null) throw orgLimitReached('messageBytes', { messageBytes: maxBytes });
  await database.follow([{ dueWork: [NEW_MESSAGES] }]);
  return changed;
}

// The organization is that of the message: with the chat's, all chats of the owner would be read.
const CHANGE = `with t as materialized (
    select * from turns where id = (
      select m.turn_id from messages m join chats c on c.id = m.chat_id
      where m.id = $1 and m.role = 'user' and m.org_id = $4 and c.id = $2 and c.user_id = $3 and c.deleted_at is null
    ) for update
  ),
  waiting as materialized (select t.id from t where ${WAITS_FOR_PERSON}),
  ${changedContent('waiting', { messageId: '$1', content: '$5::text', maxBytes: '$6' })},
  noted as (${noteChanged('m')})
  select ${MESSAGE_COLUMNS} from waiting left join m on true ${MESSAGE_JOINS}`;

interface WithdrawnTurn {
  readonly turnSeq: number;
  readonly afterSeq: number;
  /** The oldest turn that waits in the chat now; null when none does. */
  readonly nextTurnId: string | null;
  /** The webhook targets of its clients that are due. */
  readonly dueClients: readonly string[] | null;
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
  const { turnSeq, afterSeq, nextTurnId, dueClients, ...message } = row;
  await database.follow([{ dueWork: deliveriesTo(owner.orgId, dueClients) }]);
  // Workers may have been notified of this one: those behind it should not wait until they are due.
  const next = nextTurnId === null ? [] : [database.tenant.query(owner.orgId, announceReady(nextTurnId))];
  const end = announceTurnEnd(database, { chatId: ids.chatId, turnId: message.turnId, turnSeq, afterSeq });
  // Both are hints: workers and the viewers' regular poll find the rows.
  await Promise.allSettled([...next, end]);
  return message;
}

// The chat is locked first, as by every change of messages.
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
  ${notifyClients('turn', 'turn.id')},
  m as (update messages set excluded = true, updated_at = now() from turn where messages.id = $1 returning messages.*)
  select ${MESSAGE_COLUMNS}, t.seq as "turnSeq", ${AFTER_SEQ} as "afterSeq", (
      select n.id from turns n where n.chat_id = t.chat_id and n.status = 'queued' and n.id <> t.id and not exists (
        select from turns o where o.chat_id = t.chat_id and o.status = 'running'
      ) order by n.seq limit 1
    ) as "nextTurnId", ${DUE_CLIENTS} as "dueClients"
  from m join turn t on true ${MESSAGE_JOINS}`;
