import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { Membership } from '../../domain/orgs.ts';
import type { Database, TenantDatabase } from '../core/database.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';
import type { Statement } from '../core/sql-pool.ts';
import { userName } from '../records/records.ts';
import { type ChatReader, readableChat } from './chat.ts';
import { hasRoomForMessages } from './usage.ts';

/** A stored message with the names of its sender. */
export interface Message {
  readonly id: string;
  readonly chatId: string;
  /** The turn that the message began, or answers. */
  readonly turnId: string;
  /** Chosen by the client that sent the message. */
  readonly clientMessageId: string | null;
  readonly role: 'user' | 'assistant';
  readonly content: string;
  /** The files that it names; some may be deleted since. */
  readonly fileIds: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly providerUsed: string | null;
  readonly agentId: string | null;
  readonly agentName: string | null;
  readonly userId: string | null;
  readonly userName: string | null;
  readonly excluded: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/**
 * Returns the part of an answer that the model wrote: nothing, when the content is our text for a failure before its
 * first word.
 */
export function modelText({ content, metadata }: Message): string {
  return content === metadata['error'] ? '' : content;
}

/** The columns of `Message` from `messages m`, with the joins that `MESSAGE_JOINS` makes. */
export const MESSAGE_COLUMNS = `m.id, m.chat_id as "chatId", m.turn_id as "turnId",
  m.client_message_id as "clientMessageId", m.role, m.content, coalesce(m.file_ids, '{}') as "fileIds", m.metadata, m.provider_used as "providerUsed",
  m.agent_id as "agentId", a.name as "agentName", m.user_id as "userId",
  ${userName('u')} as "userName", m.excluded, m.created_at as "createdAt",
  m.updated_at as "updatedAt"`;
export const MESSAGE_JOINS = 'left join agents a on a.id = m.agent_id left join users u on u.id = m.user_id';

interface MessagePage extends Page {
  /** A message id: the page ends right before it. Without it the list begins with the first message. */
  readonly before?: string | undefined;
  /** Whether the page ends with the last message, and `offset` counts from there. */
  readonly newest?: boolean | undefined;
}

/**
 * Returns a page of the messages of a chat that the reader may read, oldest first; `not_found` when there is no such
 * chat, or no such message in it.
 */
export async function listMessages(
  { tenant }: Database,
  reader: ChatReader,
  chatId: string,
  { before, newest = false, ...page }: MessagePage,
): Promise<Listed<Message>> {
  const end: Statement = {
    name: 'end-of-page',
    text: 'select from messages where id = $1 and chat_id = $2',
    values: [before, chatId],
  };
  const read = async (statement: Statement) => {
    const [chats, ...results] = await tenant.series(reader.orgId, [
      readableChat(reader, chatId),
      ...(before === undefined ? [] : [end]),
      statement,
    ]);
    if (chats?.length !== 1) throw notFound('Chat');
    if (before !== undefined && results[0]?.length !== 1) throw notFound('Message');
    return results.at(-1) ?? [];
  };
  const whole = newest ? FROM_LAST : FROM_FIRST;
  const wanted = before === undefined ? whole : BEFORE_ONE;
  const listed = await readPage<Message>(read, {
    name: wanted.name,
    columns: MESSAGE_COLUMNS,
    bytes: '800 + 40 * coalesce(cardinality(m.file_ids), 0) + octet_length(m.content) + octet_length(m.metadata::text)',
    source: `from messages m ${MESSAGE_JOINS} where ${wanted.where}`,
    total: `(select count(*) from messages m where ${wanted.where})`,
    order: wanted.order,
    values: before === undefined ? [chatId] : [chatId, before],
    page,
  });
  return wanted === FROM_FIRST ? listed : { ...listed, items: listed.items.toReversed() };
}

const FROM_FIRST = { name: 'list-messages', where: 'm.chat_id = $1', order: 'm.seq' };
const FROM_LAST = { name: 'list-newest-messages', where: 'm.chat_id = $1', order: 'm.seq desc' };
const BEFORE_ONE = {
  name: 'list-messages-before',
  where: 'm.chat_id = $1 and m.seq < (select seq from messages where id = $2)',
  order: 'm.seq desc',
};

/** Returns the message of a chat that was stored last; `undefined` when it has none. */
export async function findNewestMessage(
  { tenant }: Pick<Database, 'tenant'>,
  orgId: string,
  chatId: string,
): Promise<string | undefined> {
  const [message] = await tenant.query<{ id: string }>(orgId, {
    name: 'newest-message',
    text: 'select id from messages where chat_id = $1 order by seq desc limit 1',
    values: [chatId],
  });
  return message?.id;
}

interface Exclusion {
  readonly excluded: boolean;
  /** Whether all later messages of the chat are meant as well. */
  readonly fromHereOn: boolean;
}

/** The messages after the named one that one request changes at most. */
const MAX_LATER = 2_000;

/**
 * Excludes a message from the agent's context, or includes it again, and if asked all that follow it in the chat, at
 * once. Returns the message. `conflict` when more than 2,000 of those that follow would change.
 */
export async function setMessageExcluded(
  { tenant }: Database,
  owner: Membership,
  ids: { chatId: string; messageId: string },
  { excluded, fromHereOn }: Exclusion,
): Promise<Message> {
  const [row] = await tenant.query<Message & { readonly isTooMany: boolean }>(owner.orgId, {
    ...(fromHereOn ? EXCLUDE.fromHereOn : EXCLUDE.one),
    values: [ids.messageId, ids.chatId, owner.userId, excluded],
  });
  if (row === undefined) throw notFound('Message');
  const { isTooMany, ...message } = row;
  if (!isTooMany) return message;
  throw new AppError('conflict', `More than ${MAX_LATER} messages would change; begin with a later one`);
}

// The chat is locked, so that two requests do not change the same messages in different orders.
const LATER = `later as materialized (
    select l.id from named join messages l on l.chat_id = named.chat_id and l.seq > named.seq and l.excluded <> $4
    limit ${MAX_LATER + 1}
  ),
  bound as materialized (select count(*) > ${MAX_LATER} as "isTooMany" from later),
  changed as (
    update messages l set excluded = $4, updated_at = now() from later
    where l.id = later.id and l.excluded <> $4 and not (select "isTooMany" from bound)
  )`;
const NO_LATER = 'bound as materialized (select false as "isTooMany")';

// Rows that have the value already are not written again.
const excludeText = (later: string) => `with chat as materialized (
    select id from chats where id = $2 and user_id = $3 and deleted_at is null for no key update
  ),
  named as materialized (
    select * from messages where id = $1 and chat_id = (select id from chat) for no key update
  ),
  ${later},
  written as (
    update messages set excluded = $4, updated_at = now() from named
    where messages.id = named.id and named.excluded <> $4 and not (select "isTooMany" from bound) returning messages.*
  ),
  m as (
    select * from written union all select * from named where not exists (select from written)
  )
  select ${MESSAGE_COLUMNS}, bound."isTooMany" from m cross join bound ${MESSAGE_JOINS}`;

const EXCLUDE = {
  one: { name: 'set-message-excluded', text: excludeText(NO_LATER) },
  fromHereOn: { name: 'set-messages-excluded', text: excludeText(LATER) },
};

interface ContentParameters {
  readonly messageId: string;
  readonly content: string;
  /** The organization's limit on messages, in bytes. */
  readonly maxBytes: string;
}

/**
 * Returns the part of a statement that changes the text of a message, and notes for `countUsage` by how much it has
 * grown: `m` is the changed message. It has no row when there is no row in `condition`, or the text is longer than
 * before and the organization has no room for messages.
 */
// The row is locked before it is measured, so that of two changes the second starts from the text of the first.
export const changedContent = (condition: string, { messageId, content, maxBytes }: ContentParameters) => `old as (
    select o.id, o.org_id, octet_length(${content}) - octet_length(o.content) as added
    from messages o where o.id = ${messageId} and exists (select from ${condition}) for no key update of o
  ),
  m as (
    update messages set content = ${content}, updated_at = now() from old
    where messages.id = old.id and (old.added <= 0 or ${hasRoomForMessages('old.org_id', maxBytes)}) returning messages.*
  ),
  grown as (
    insert into message_size_changes (org_id, written_at, bytes) select m.org_id, m.created_at, old.added from old, m
  )`;

/** Notes that a chat has read text from outside, which everything stored after that may repeat. */
export async function noteForeignText(
  { tenant }: TenantDatabase,
  { orgId, chatId }: { readonly orgId: string; readonly chatId: string },
): Promise<void> {
  await tenant.query(orgId, {
    name: 'note-foreign-text',
    text: 'update chats set has_foreign_text = true where id = $1 and not has_foreign_text',
    values: [chatId],
  });
}
