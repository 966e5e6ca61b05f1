import type { EntityManager } from '@mikro-orm/postgresql';
import type { PastExchange } from '../domain/completions.ts';
import { AppError, notFound } from '../domain/core/app-error.ts';
import type { Membership } from '../domain/orgs.ts';
import { addChat } from './chats/create-chat.ts';
import type { Database } from './core/database.ts';
import { withOrgTransaction } from './core/transactions.ts';
import { addPastTurns } from './turns/past-turns.ts';

/** A request for an answer, from a client of another protocol than this API. */
export interface Completion {
  /** The `client_message_id` of the message that is answered. */
  readonly id: string;
  readonly chatId: string;
  /** The turn that the message continues; undefined in a chat of its own, or where any state of the chat will do. */
  readonly afterTurnId: string | undefined;
}

interface NewCompletion {
  readonly id: string;
  /** Of the agent and the conversation, up to the message that is answered: 32 bytes. */
  readonly digest: Buffer;
  /** The same key never makes a second one. */
  readonly idempotencyKey: string | undefined;
  /** Of the call that the client may cancel later: 32 bytes. */
  readonly callDigest?: Buffer | undefined;
}

/** Where a conversation continues: after the answer to a former message. */
interface Continuation {
  readonly digest: Buffer;
  readonly answer: string;
}

/**
 * Returns the user's chat that contains a conversation and nothing after it, and its last turn; undefined when there is
 * none, or when it has been deleted.
 */
export async function findChatOf(
  { tenant }: Database,
  { orgId, userId }: Membership,
  { digest, answer }: Continuation,
): Promise<{ readonly chatId: string; readonly afterTurnId: string } | undefined> {
  const [row] = await tenant.query<{ chatId: string; afterTurnId: string }>(orgId, {
    name: 'chat-of-conversation',
    text: `select e.chat_id as "chatId", t.id as "afterTurnId" from completions e
      join chats c on c.id = e.chat_id and c.deleted_at is null
      join messages q on q.chat_id = e.chat_id and q.client_message_id = e.id::text and not q.excluded
      join messages a on a.turn_id = q.turn_id and a.role = 'assistant' and a.content = $4 and not a.excluded
      join turns t on t.id = q.turn_id and t.ended_at is not null
      where e.org_id = $1 and e.user_id = $2 and e.digest = $3
        and not exists (select from turns later where later.chat_id = e.chat_id and later.seq > t.seq)
      order by e.created_at desc limit 1`,
    values: [orgId, userId, digest, answer],
  });
  return row;
}

/** An answer that a request continues. */
interface FormerCompletion {
  readonly chatId: string;
  readonly agentId: string;
  readonly turnId: string;
  /** Whether nothing was said in the chat since, beside what the request with the key has said. */
  readonly isLast: boolean;
}

/** Returns a request of the user's that a later one continues; undefined when there is none. */
export async function findFormerCompletion(
  { tenant }: Database,
  { orgId, userId }: Membership,
  { id, idempotencyKey }: Pick<NewCompletion, 'id' | 'idempotencyKey'>,
): Promise<FormerCompletion | undefined> {
  const [row] = await tenant.query<FormerCompletion>(orgId, {
    name: 'former-completion',
    text: `select e.chat_id as "chatId", c.agent_id as "agentId", t.id as "turnId", not exists (
        select from turns later where later.chat_id = e.chat_id and later.seq > t.seq and later.id is distinct from (
          select own.turn_id from completions k
          join messages own on own.chat_id = k.chat_id and own.client_message_id = k.id::text
          where k.org_id = $1 and k.user_id = $2 and k.idempotency_key = $4
        )
      ) as "isLast"
      from completions e
      join chats c on c.id = e.chat_id and c.deleted_at is null
      join messages m on m.chat_id = e.chat_id and m.client_message_id = e.id::text
      join turns t on t.id = m.turn_id
      where e.org_id = $1 and e.user_id = $2 and e.id = $3`,
    values: [orgId, userId, id, idempotencyKey ?? null],
  });
  return row;
}

/** The channel on which every process is notified of calls that their clients have cancelled. */
export const CANCELLED_CALLS_CHANNEL = 'cancelled_calls';

/** Notifies every process that a client has cancelled a call, which may wait at any of them. */
export async function announceCancelledCall({ tenant }: Database, orgId: string, name: string): Promise<void> {
  await tenant.query(orgId, {
    name: 'announce-cancelled-call',
    text: `select pg_notify('${CANCELLED_CALLS_CHANNEL}', $1)`,
    values: [name],
  });
}

/**
 * Cancels the user's last call with a digest, and returns the turn that was begun for it; undefined without one. A call
 * that is cancelled already is found again, so that a cancellation whose interrupt has failed can be repeated.
 */
export async function cancelCall(
  { tenant }: Database,
  { orgId, userId }: Membership,
  callDigest: Buffer,
): Promise<BegunCompletion | undefined> {
  const [row] = await tenant.query<BegunCompletion>(orgId, {
    name: 'cancel-call',
    text: `with begun as (
        select e.id, e.chat_id, m.turn_id from completions e
        join messages m on m.chat_id = e.chat_id and m.client_message_id = e.id::text
        where e.org_id = $1 and e.user_id = $2 and e.call_digest in ($3, sha256($3::bytea)) order by e.created_at desc limit 1
      )
      update completions e set call_digest = sha256($3::bytea) from begun where e.id = begun.id
      returning e.chat_id as "chatId", begun.turn_id as "turnId"`,
    values: [orgId, userId, callDigest],
  });
  return row;
}

/** Returns whether the call that a turn was begun for was cancelled. */
export async function isCallCancelled(
  { tenant }: Database,
  { orgId, userId }: Membership,
  { callDigest, turnId }: { readonly callDigest: Buffer; readonly turnId: string },
): Promise<boolean> {
  const rows = await tenant.query(orgId, {
    name: 'is-call-open',
    text: `select from completions e join messages m on m.chat_id = e.chat_id and m.client_message_id = e.id::text
      where e.org_id = $1 and e.user_id = $2 and e.call_digest = $3 and m.turn_id = $4`,
    values: [orgId, userId, callDigest, turnId],
  });
  return rows.length === 0;
}

/** A request with the same idempotency key has been noted since it was looked for. */
class KeyTaken extends AppError {
  constructor() {
    super('conflict', 'A request with this idempotency key has just started; send it again');
  }
}

/**
 * Runs a transaction that notes a request. Of two requests with one key at once the second transaction is undone, with
 * the chat that it has added, and run again: then it finds the first request.
 */
async function noteOnce(
  database: Database,
  { orgId }: Membership,
  note: (em: EntityManager) => Promise<Completion>,
): Promise<Completion> {
  try {
    return await withOrgTransaction(database, orgId, note);
  } catch (error) {
    if (!(error instanceof KeyTaken)) throw error;
    return withOrgTransaction(database, orgId, note);
  }
}

/**
 * Adds a request to the chat of its conversation. The same idempotency key returns the first one; `conflict` when that
 * was another conversation.
 */
export async function continueInChat(
  database: Database,
  owner: Membership,
  completion: NewCompletion & Pick<Completion, 'chatId' | 'afterTurnId'>,
): Promise<Completion> {
  return noteOnce(
    database,
    owner,
    async (em) => (await findByKey(em, owner, completion)) ?? insert(em, owner, completion),
  );
}

/** A request whose turn has begun. */
interface BegunCompletion {
  readonly chatId: string;
  readonly turnId: string;
}

interface ChatOfConversation {
  readonly agentId: string;
  readonly title: string;
  readonly past: readonly PastExchange[];
  /** The number of live chats that the organization may have. */
  readonly maxChats: number;
}

type NewConversation = NewCompletion & ChatOfConversation;

/**
 * Starts a chat with the earlier messages, and records the request. The same idempotency key returns the first one;
 * `conflict` when that was another conversation, or when the owner has reached the limit of chats.
 */
export async function startChatOf(
  database: Database,
  owner: Membership,
  conversation: NewConversation,
): Promise<Completion> {
  return noteOnce(database, owner, async (em) => {
    const known = await findByKey(em, owner, conversation);
    if (known !== undefined) return known;
    const chatId = await startChat(em, owner, conversation);
    return insert(em, owner, { ...conversation, chatId, afterTurnId: undefined });
  });
}

/**
 * Moves a request that has begun no turn to a new chat with the messages before it, because its chat was continued with
 * something else. A request that has been moved already stays where it is now.
 */
export async function moveToNewChat(
  database: Database,
  owner: Membership,
  { id, chatId: from, ...conversation }: Pick<Completion, 'id' | 'chatId'> & ChatOfConversation,
): Promise<Completion & { readonly isNew: boolean }> {
  return withOrgTransaction(database, owner.orgId, async (em) => {
    const [known] = await em.execute<Pick<Completion, 'chatId'>[]>(
      'select chat_id as "chatId" from completions where id = ? for update',
      [id],
    );
    if (known === undefined) throw notFound('Chat');
    const moved = { id, afterTurnId: undefined };
    if (known.chatId !== from) return { ...moved, chatId: known.chatId, isNew: false };
    const chatId = await startChat(em, owner, conversation);
    await em.execute('update completions set chat_id = ?, after_turn_id = null where id = ?', [chatId, id]);
    return { ...moved, chatId, isNew: true };
  });
}

async function startChat(
  em: EntityManager,
  owner: Membership,
  { agentId, title, past, maxChats }: ChatOfConversation,
): Promise<string> {
  const chatId = await addChat(em, owner, { agentId, title, projectId: null, origin: 'program', maxChats });
  await addPastTurns(em, owner, { chatId, agentId, past });
  return chatId;
}

async function findByKey(
  em: EntityManager,
  { orgId, userId }: Membership,
  { idempotencyKey, digest }: NewCompletion,
): Promise<Completion | undefined> {
  if (idempotencyKey === undefined) return undefined;
  const [row] = await em.execute<(Completion & { readonly is_same: boolean })[]>(
    `select id, chat_id as "chatId", after_turn_id as "afterTurnId", digest = ? as is_same from completions
      where org_id = ? and user_id = ? and idempotency_key = ?`,
    [digest, orgId, userId, idempotencyKey],
  );
  if (row === undefined) return undefined;
  if (!row.is_same)
    throw new AppError('conflict', 'This idempotency key, or message id, was sent with another conversation');
  return { id: row.id, chatId: row.chatId, afterTurnId: row.afterTurnId ?? undefined };
}

async function insert(
  em: EntityManager,
  { orgId, userId }: Membership,
  { id, chatId, afterTurnId, digest, idempotencyKey, callDigest }: NewCompletion & Completion,
): Promise<Completion> {
  const rows = await em.execute<object[]>(
    `insert into completions (id, org_id, user_id, chat_id, after_turn_id, digest, idempotency_key, call_digest)
      values (?, ?, ?, ?, ?, ?, ?, ?)
      on conflict (org_id, user_id, idempotency_key) where idempotency_key is not null do nothing returning id`,
    [id, orgId, userId, chatId, afterTurnId ?? null, digest, idempotencyKey ?? null, callDigest ?? null],
  );
  if (rows.length === 0) throw new KeyTaken();
  return { id, chatId, afterTurnId };
}
