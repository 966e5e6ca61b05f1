import { titleFrom } from '../../domain/chats.ts';
import { NEW_MESSAGES } from '../../domain/core/due-work.ts';
import { type Membership, orgLimitReached } from '../../domain/orgs.ts';
import { v7 as uuidv7 } from 'uuid';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { hasRoomForMessages } from '../chats/usage.ts';
import type { Database } from '../core/database.ts';
import type { Statement } from '../core/sql-pool.ts';
import { isUniqueViolation, retrySerializationFailures } from '../core/unavailable.ts';
import { MAX_OPEN_TURNS_OF_ORG, MAX_OPEN_TURNS_OF_USER, mayOpenTurn, OPEN, openTurns } from './work-slots.ts';
import { tracing } from '../../domain/telemetry/tracing.ts';
import { announceReady } from './ready-turn.ts';
import { noteStepBegun, type StepOfRun } from './runs.ts';

interface NewMessage {
  readonly chatId: string;
  readonly content: string;
  /** Chosen by the client: the same id in the same chat never makes a second turn. */
  readonly clientMessageId: string | undefined;
  /** Files of the chat that the agent is to see with the message. */
  readonly fileIds?: readonly string[] | undefined;
  /** The agents that the user may write to; absent when all are allowed. */
  readonly allowedAgentIds?: readonly string[] | undefined;
  /** The organization's limit on messages, in bytes; absent for none. */
  readonly maxBytes?: number | undefined;
  /**
   * For the prompt of a run: the step of which it is an attempt. The statement that stores the message also changes the
   * run.
   */
  readonly ofRun?: StepOfRun | undefined;
  /** The turn that the message continues: it is refused when the chat has a later one. */
  readonly afterTurnId?: string | undefined;
}

/** A message continues a turn that is no longer the last one of its chat. */
export class ChatHasGoneOn extends AppError {
  constructor() {
    super('conflict', 'The conversation has continued since the previous response; refer to its last one');
  }
}

/** The stored message and its turn. */
export interface AcceptedMessage {
  readonly turnId: string;
  readonly messageId: string;
  /** False when a message with this `client_message_id` was stored before; the result is that message. */
  readonly isNew: boolean;
  /** False when the earlier message had other content, which stays. */
  readonly isSameContent: boolean;
}

/** How many open turns a chat may have; further messages are rejected until one has ended. */
const MAX_OPEN_TURNS = 100;

/**
 * Stores a user's message and the turn that will answer it, in one transaction: when this has returned, neither can be
 * lost. Idempotent by `clientMessageId`. Workers are notified at once; when none gets the news, the next one that reads
 * the due turns wakes the chat's conversation.
 */
export async function acceptMessage(
  database: Database,
  owner: Membership,
  input: NewMessage,
): Promise<AcceptedMessage> {
  try {
    return await storeMessage(database, owner, input);
  } catch (error) {
    // The same message came through another interface at the same instant; it is stored now, so the second look-up
    // finds it.
    if (!isUniqueViolation(error)) throw error;
    return storeMessage(database, owner, input);
  }
}

interface ChatState {
  readonly isSubChat: boolean;
  readonly hasGoneOn: boolean;
  readonly isAllowed: boolean;
  readonly hasBytes: boolean;
  readonly hasFiles: boolean;
  readonly turnId: string | null;
  readonly messageId: string | null;
  readonly isSameContent: boolean;
}

async function storeMessage(database: Database, owner: Membership, input: NewMessage): Promise<AcceptedMessage> {
  const { tenant } = database;
  const turnId = uuidv7();
  const insert = insertMessage(owner, input, turnId);
  // Run again as a whole after a conflict: only the first one writes.
  const [created] = await retrySerializationFailures(async () => {
    if (input.afterTurnId === undefined) return (await tenant.series(owner.orgId, [insert, announceReady(turnId)]))[0];
    const [, rows] = await tenant.transaction(owner.orgId, [lockChat(owner, input), insert]);
    if (rows.length > 0) await tenant.query(owner.orgId, announceReady(turnId));
    return rows;
  });
  if (created === undefined) return findAccepted(tenant, owner, input);
  await database.follow([{ dueWork: [NEW_MESSAGES] }]);
  return { ...created, turnId, isNew: true, isSameContent: true };
}

// Nothing was stored: the message is there already, or was rejected.
async function findAccepted(
  tenant: Database['tenant'],
  owner: Membership,
  input: NewMessage,
): Promise<AcceptedMessage> {
  const [known] = await tenant.query(owner.orgId, readAccepted(owner, input));
  if (known === undefined) throw notFound('Chat');
  if (known.isSubChat)
    throw new AppError('conflict', 'This chat belongs to a sub-agent; write in the chat that it works for');
  const { turnId, messageId, isSameContent, hasGoneOn } = known;
  if (turnId === null && hasGoneOn) throw new ChatHasGoneOn();
  if (turnId === null || messageId === null) throw await rejectionError(tenant, owner, input, known);
  return { turnId, messageId, isNew: false, isSameContent };
}

async function rejectionError(
  tenant: Database['tenant'],
  owner: Membership,
  { maxBytes = 0, ofRun }: NewMessage,
  { isAllowed, hasBytes, hasFiles }: ChatState,
): Promise<AppError> {
  if (!isAllowed) {
    const subject = ofRun === undefined ? 'chat' : 'step';
    return new AppError('forbidden', `Your permission groups do not let you use the agent of this ${subject}`);
  }
  if (!hasBytes) return orgLimitReached('messageBytes', { messageBytes: maxBytes });
  if (!hasFiles) return notFound('File');
  return tooManyOpen(tenant, owner);
}

function readAccepted({ userId }: Membership, message: NewMessage): Statement<ChatState> {
  const { chatId, content, clientMessageId, allowedAgentIds, maxBytes, ofRun, afterTurnId } = message;
  return {
    name: 'accepted-message',
    text: `select c.id, c.parent_chat_id is not null as "isSubChat",
        ($5::uuid[] is null or coalesce($8::uuid, c.agent_id) = any($5)) as "isAllowed",
        ${hasRoomForMessages('c.org_id', '$6')} as "hasBytes",
        ${hasFilesOf('$1', '$7')} as "hasFiles",
        $9::uuid is not null and not ${isLast('$9')} as "hasGoneOn",
        m.id as "messageId", m.turn_id as "turnId", m.content = $4 as "isSameContent"
      from chats c left join messages m on m.chat_id = c.id and m.client_message_id = $3
      where c.id = $1 and c.user_id = $2 and c.deleted_at is null`,
    values: [
      chatId,
      userId,
      clientMessageId ?? null,
      content,
      allowedAgentIds ?? null,
      maxBytes ?? null,
      namedFiles(message),
      ofRun?.agentId ?? null,
      afterTurnId ?? null,
    ],
  };
}

/** Whether a turn is the last one of the chat `$1`. */
const isLast = (turnId: string) => `exists (
    select from turns t where t.id = ${turnId} and t.chat_id = $1
      and not exists (select from turns later where later.chat_id = $1 and later.seq > t.seq)
  )`;

const openTurnsOfChat = (id: string) =>
  `(select count(*) from (select from turns where chat_id = ${id} and ${OPEN} limit ${MAX_OPEN_TURNS}) open)`;

/** Whether all of the files are in the chat; most messages name none, which is null. */
const hasFilesOf = (
  chatId: string,
  fileIds: string,
) => `(${fileIds}::uuid[] is null or cardinality(${fileIds}::uuid[]) = (
    select count(*) from chat_files f where f.id = any(${fileIds}) and f.chat_id = ${chatId} and f.is_stored
  ))`;

function namedFiles({ fileIds = [] }: NewMessage): readonly string[] | null {
  return fileIds.length === 0 ? null : [...new Set(fileIds.map((id) => id.toLowerCase()))];
}

// Called only once a message was rejected; by now there may be room again.
async function tooManyOpen(tenant: Database['tenant'], owner: Membership): Promise<AppError> {
  const [open] = await tenant.query<{ ofUser: number; ofOrg: number }>(owner.orgId, {
    name: 'count-open-turns',
    text: `select * from ${openTurns('$1', '$2')} open`,
    values: [owner.userId, owner.orgId],
  });
  const { ofUser, ofOrg } = open ?? { ofUser: 0, ofOrg: 0 };
  let full = `The chat has ${MAX_OPEN_TURNS}`;
  if (ofOrg >= MAX_OPEN_TURNS_OF_ORG)
    full = `Your organization, with all others of its owner, has ${MAX_OPEN_TURNS_OF_ORG}`;
  if (ofUser >= MAX_OPEN_TURNS_OF_USER) full = `You have ${MAX_OPEN_TURNS_OF_USER}`;
  return new AppError('limit_reached', `${full} unanswered messages; wait for an answer`, { retryAfterSeconds: 5 });
}

// A statement sees what was committed before it began: only one that begins under the lock sees the chat's last turn.
function lockChat({ userId }: Membership, { chatId }: NewMessage): Statement {
  return {
    name: 'lock-chat',
    text: 'select from chats where id = $1 and user_id = $2 for no key update',
    values: [chatId, userId],
  };
}

function insertMessage(
  { orgId, userId }: Membership,
  message: NewMessage,
  turnId: string,
): Statement<{ messageId: string }> {
  const { chatId, content, clientMessageId, allowedAgentIds, maxBytes, ofRun, afterTurnId } = message;
  const values = [
    chatId,
    userId,
    turnId,
    orgId,
    clientMessageId ?? null,
    uuidv7(),
    content,
    allowedAgentIds ?? null,
    maxBytes ?? null,
    namedFiles(message),
    titleFrom(content),
    tracing.current() ?? null,
  ];
  if (afterTurnId !== undefined) return { ...INSERT.afterTurn, values: [...values, afterTurnId] };
  if (ofRun === undefined) return { ...INSERT.plain, values };
  const { runId, version, step, attempt, agentId } = ofRun;
  return { ...INSERT.ofRun, values: [...values, runId, version, step, attempt, agentId] };
}

// The prompt of a run is stored only if its run has not changed since, and the chat continues with the agent of its
// step. Other messages lock their chat first, so that none is stored between a check of its last turn and what that
// allows.
const insertText = (isOfRun: boolean, condition = '') => `with chat as (
    select id, ${isOfRun ? '$17::uuid' : 'agent_id'} as agent_id from chats
    where id = $1 and user_id = $2 and deleted_at is null and parent_chat_id is null
      and ($8::uuid[] is null or ${isOfRun ? '$17::uuid' : 'agent_id'} = any($8))
      and ${hasRoomForMessages('$4', '$9')}
      and not exists (select from messages where chat_id = $1 and client_message_id = $5)
      and ${hasFilesOf('$1', '$10')}
      and ${openTurnsOfChat('$1')} < ${MAX_OPEN_TURNS}
      and ${mayOpenTurn('$2', '$4')}
      ${condition}
    ${isOfRun ? '' : 'for no key update of chats'}
  ),
  ${isOfRun ? `run as (${noteStepBegun('$13', '$14')}),` : ''}
  turn as (
    insert into turns (id, org_id, chat_id, user_id, traceparent${isOfRun ? ', run_id, run_step, run_attempt' : ''})
    select $3, $4, chat.id, $2, $12${isOfRun ? ', run.id, $15, $16 from chat, run' : ' from chat'}
  ),
  touched as (
    update chats set updated_at = now(), has_foreign_text = has_foreign_text or $10::uuid[] is not null
      ${isOfRun ? ', agent_id = chat.agent_id' : ''},
      title = case when chats.awaits_title then $11 else chats.title end, awaits_title = false
    from chat${isOfRun ? ', run' : ''} where chats.id = chat.id
  )
  insert into messages (id, org_id, chat_id, turn_id, role, content, agent_id, user_id, client_message_id, file_ids)
  select $6, $4, chat.id, $3, 'user', $7, chat.agent_id, $2, $5, $10 from chat${isOfRun ? ', run' : ''}
  returning id as "messageId"`;

const INSERT = {
  plain: { name: 'accept-message', text: insertText(false) },
  afterTurn: { name: 'accept-message-after-turn', text: insertText(false, `and ${isLast('$13')}`) },
  ofRun: { name: 'accept-message-of-run', text: insertText(true) },
} as const;

/** The beginning of the statements by which users' messages are stored, as PostgreSQL shows running ones. */
export const MESSAGE_STATEMENT = INSERT.plain.text.slice(0, 100);
