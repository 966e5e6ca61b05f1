import type { EntityManager } from '@mikro-orm/postgresql';
import { titleFrom } from '../../domain/chats.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { type ChannelMessage, OF_CHANNEL, type ThreadAddress } from '../../domain/channels.ts';
import type { AnsweredMail } from '../../domain/inbound-mail.ts';
import { requireAgents } from '../agents/agents.ts';
import { addChat } from '../chats/create-chat.ts';
import type { Database, TenantDatabase } from '../core/database.ts';
import { withOrgTransaction } from '../core/transactions.ts';
import { openThreadTarget } from '../webhooks/thread-targets.ts';

/** The thread of somebody in a channel. */
export interface ThreadRef extends ThreadAddress {
  readonly orgId: string;
  readonly channelId: string;
  readonly userId: string;
}

interface ThreadChat {
  readonly chatId: string;
}

const keyOf = ({ channelId, userId, channel, thread }: ThreadRef) => [channelId, userId, channel, thread];

const IS_THREAD = 't.channel_id = ? and t.user_id = ? and t.channel = ? and t.thread is not distinct from ?::text';

const FIND_CHAT = `select t.chat_id as "chatId" from channel_threads t join chats c on c.id = t.chat_id
  where ${IS_THREAD} and c.user_id = t.user_id and c.deleted_at is null`;

/** Returns the live chat of a thread; undefined when there is none. */
export async function findThreadChat(database: Database, thread: ThreadRef): Promise<string | undefined> {
  const [found] = await withOrgTransaction(database, thread.orgId, async (em) =>
    em.execute<ThreadChat[]>(FIND_CHAT, keyOf(thread)),
  );
  return found?.chatId;
}

/** Returns the turns of a chat that have not ended, in their order. */
export async function findOpenTurns(
  { tenant }: TenantDatabase,
  { orgId }: Pick<ThreadRef, 'orgId'>,
  chatId: string,
): Promise<readonly string[]> {
  const turns = await tenant.query<{ readonly id: string }>(orgId, {
    name: 'open-turns-of-thread',
    text: "select id from turns where chat_id = $1 and status in ('queued', 'running') order by seq",
    values: [chatId],
  });
  return turns.map(({ id }) => id);
}

interface OpenedThread extends ThreadRef, Pick<ChannelMessage, 'text'> {
  readonly agentId: string | null;
  /** The number of live chats that the organization may have. */
  readonly maxChats: number;
}

/**
 * Returns the live chat of a thread, and begins one with the agent where there is none; `not_found` when the agent is
 * gone, `conflict` when the organization has as many chats as it may.
 */
export async function openThread(em: EntityManager, opened: OpenedThread): Promise<string> {
  const { orgId, userId } = opened;
  const [found] = await em.execute<ThreadChat[]>(FIND_CHAT, keyOf(opened));
  const chatId = found?.chatId ?? (await beginThread(em, opened));
  await openThreadTarget(em, { orgId, chatId, userId });
  return chatId;
}

async function beginThread(em: EntityManager, { agentId, text, maxChats, ...thread }: OpenedThread): Promise<string> {
  const { orgId, userId } = thread;
  if (agentId === null) throw notFound('Agent');
  await requireAgents(em, [agentId]);
  await em.execute(`delete from channel_threads t where ${IS_THREAD}`, keyOf(thread));
  const chat = { agentId, title: titleFrom(text), projectId: null, origin: 'person', maxChats } as const;
  const chatId = await addChat(em, { orgId, userId }, chat);
  await em.execute(
    'insert into channel_threads (chat_id, org_id, channel_id, user_id, channel, thread) values (?, ?, ?, ?, ?, ?)',
    [chatId, orgId, ...keyOf(thread)],
  );
  return chatId;
}

/** Returns the key of the message that a delivered message becomes: it begins one turn at most. */
export function clientMessageIdOf(eventId: string): string {
  return `${OF_CHANNEL}${eventId}`;
}

/** A message of a service that an answer belongs to. */
interface AnsweredEvent {
  readonly id: string;
  /** The message of the service that becomes the answer; null for none. */
  readonly reply: string | null;
  /** The mail that an answer refers to; null for other messages. */
  readonly mail: AnsweredMail | null;
  /** That of the integration by which it was received. */
  readonly connection: string | null;
  /** The account of the service that this belonged to; null when it is unknown. */
  readonly account: string | null;
  /** Whether an edit of the reply, by which the answer was streamed, may be in progress. */
  readonly isBeingEdited: boolean;
}

/** The event that a message `q` of a user has come by, in SQL. */
export const EVENT_OF_QUESTION = `case when q.client_message_id ~ '^${OF_CHANNEL}[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
  then substr(q.client_message_id, ${OF_CHANNEL.length + 1})::uuid end`;

/** Returns what an assistant message answers; undefined when its question did not come by a channel. */
export async function findAnsweredEvent(
  { tenant }: TenantDatabase,
  orgId: string,
  messageId: string,
): Promise<AnsweredEvent | undefined> {
  const [event] = await tenant.query<AnsweredEvent>(orgId, {
    name: 'find-answered-event',
    text: `select e.id, e.reply, e.mail, e.connection, e.account, coalesce(e.edit_until > now(), false) as "isBeingEdited"
      from messages a join messages q on q.turn_id = a.turn_id and q.role = 'user'
        join channel_events e on e.id = ${EVENT_OF_QUESTION}
      where a.id = $1`,
    values: [messageId],
  });
  return event;
}
