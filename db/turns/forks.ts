import { AppError, notFound } from '../../domain/core/app-error.ts';
import { NEW_MESSAGES } from '../../domain/core/due-work.ts';
import { formatBytes } from '../../domain/core/text.ts';
import { type Membership, orgLimitReached } from '../../domain/orgs.ts';
import { hasRoomForMessages } from '../chats/usage.ts';
import type { Database, TenantDatabase } from '../core/database.ts';
import type { Statement } from '../core/sql-pool.ts';
import { NEW_ID } from '../core/sql.ts';
import { totalOfOwner } from '../orgs/require-room.ts';

/** A chat of the user's, and the message up to which it is copied. */
interface ForkSource {
  readonly chatId: string;
  /** Null for all that has been said. */
  readonly messageId: string | null;
  /** The organization's limit on messages, in bytes. */
  readonly maxBytes: number;
}

/** The size and content of a planned fork. */
export interface ForkPlan {
  readonly agentId: string;
  /** The position of the last turn that is copied; null for all that have ended. */
  readonly lastSeq: number | null;
  /** The files that its messages name, some of which may be deleted. */
  readonly fileIds: readonly string[];
}

interface Asked {
  readonly agentId: string;
  readonly hasAgent: boolean;
  readonly isSubChat: boolean;
  readonly lastSeq: number | null;
  readonly isEnded: boolean | null;
  /** The bytes of messages that are counted of the organization. */
  readonly storedBytes: number;
}

interface Size {
  readonly turns: number;
  readonly bytes: number;
  readonly fileIds: readonly string[];
}

const MAX_TURNS = 1_000;
const MAX_BYTES = 10_000_000;
/** Files that messages of a fork may name. */
const MAX_FILES = 100;

/**
 * Returns what a fork of the user's chat at a message would contain. `not_found` when there is no such chat or message,
 * `conflict` when it cannot be copied: it is a sub-agent's, without an agent, still being answered, or too large, or
 * the organization has no room for it.
 */
export async function planFork(
  { tenant }: TenantDatabase,
  { orgId, userId }: Membership,
  { chatId, messageId, maxBytes }: ForkSource,
): Promise<ForkPlan> {
  const asked: Statement<Asked> = { name: 'fork-source', text: ASKED, values: [chatId, userId, messageId, orgId] };
  const sizes: Statement<Size> = { name: 'size-of-fork', text: SIZE, values: [chatId, messageId, userId] };
  const [[chat], [size]] = await tenant.series(orgId, [asked, sizes] as const);
  const { agentId, lastSeq } = requireForkable(chat, messageId);
  const { turns, bytes, fileIds } = size ?? { turns: 0, bytes: 0, fileIds: [] };
  if (turns > MAX_TURNS || bytes > MAX_BYTES)
    throw new AppError(
      'conflict',
      `A fork may contain ${MAX_TURNS} turns and ${formatBytes(MAX_BYTES)} of messages; fork at an earlier one`,
    );
  if (Number(chat?.storedBytes) + bytes > maxBytes) throw orgLimitReached('messageBytes', { messageBytes: maxBytes });
  if (fileIds.length > MAX_FILES)
    throw new AppError('conflict', `A fork may have at most ${MAX_FILES} files; fork at an earlier message`);
  return { agentId, lastSeq, fileIds };
}

function requireForkable(chat: Asked | undefined, messageId: string | null): Omit<ForkPlan, 'fileIds'> {
  if (chat === undefined) throw notFound('Chat');
  const { agentId, lastSeq, isSubChat, hasAgent, isEnded } = chat;
  if (isSubChat) throw new AppError('conflict', 'This chat belongs to a sub-agent; fork the chat it works for');
  if (messageId !== null && lastSeq === null) throw notFound('Message');
  if (!hasAgent) throw new AppError('conflict', 'The agent of this chat was deleted; restore it first');
  if (isEnded === false) throw new AppError('conflict', 'The message is still being answered; fork when it is');
  return { agentId, lastSeq };
}

const ASKED = `select c.agent_id as "agentId", c.parent_chat_id is not null as "isSubChat",
    exists (select from agents a where a.id = c.agent_id and a.deleted_at is null) as "hasAgent",
    t.seq as "lastSeq", case when t.id is not null then t.ended_at is not null end as "isEnded",
    ${totalOfOwner('$4', 'message_bytes')} as "storedBytes"
  from chats c left join messages m on m.id = $3 and m.chat_id = c.id left join turns t on t.id = m.turn_id
  where c.id = $1 and c.user_id = $2 and c.deleted_at is null`;

// Two more than may be copied, of each kind: enough to see that there are too many.
const SIZE = `with copied as materialized (
    select t.id from turns t
    where t.chat_id = (select id from chats where id = $1 and user_id = $3 and deleted_at is null) and ($2::uuid is null or t.seq <= (
      select s.seq from messages m join turns s on s.id = m.turn_id where m.id = $2 and m.chat_id = $1
    )) and t.ended_at is not null
    order by t.seq limit ${MAX_TURNS + 1}
  ),
  said as (
    select octet_length(m.content) + pg_column_size(m.metadata) as bytes, m.file_ids
    from copied join messages m on m.turn_id = copied.id
  )
  select (select count(*)::int from copied) as turns, (select coalesce(sum(bytes), 0)::float8 from said) as bytes,
    array(select distinct f.id from said cross join lateral unnest(said.file_ids) as f (id) limit ${MAX_FILES + 1})::text[] as "fileIds"`;

interface ForkedTurns {
  /** The chat that is copied, and the position of its last turn that is; null for all that have ended. */
  readonly from: { readonly chatId: string; readonly lastSeq: number | null };
  readonly toChatId: string;
  /** The copies of files, by the ids of the originals. */
  readonly files: ReadonlyMap<string, string>;
  /** The organization's limit on messages, in bytes. */
  readonly maxBytes: number;
}

/**
 * Copies the ended turns of a chat into a new one: their messages, under ids of their own, without the steps between
 * question and answer. Files that were not copied are no longer named. Nothing is counted as spent twice.
 */
export async function copyTurns(
  database: Pick<Database, 'tenant' | 'follow'>,
  { orgId }: Membership,
  { from, toChatId, files, maxBytes }: ForkedTurns,
): Promise<void> {
  const [copied] = await database.tenant.query<{ hasRoom: boolean }>(orgId, {
    name: 'copy-turns',
    text: COPY,
    values: [from.chatId, toChatId, from.lastSeq, [...files.keys()], [...files.values()], orgId, maxBytes],
  });
  if (copied?.hasRoom !== true) throw orgLimitReached('messageBytes', { messageBytes: maxBytes });
  await database.follow([{ dueWork: [NEW_MESSAGES] }]);
}

// Messages count with the time of the copy: their bytes are added to those of the organization by it. A report stays
// one, so that models read it as news.
const COPY = `with past as materialized (
    select t.*, ${NEW_ID} as new_id from turns t
    where t.chat_id = $1 and ($3::bigint is null or t.seq <= $3) and t.ended_at is not null and ${hasRoomForMessages('$6', '$7')}
  ),
  turn as (
    insert into turns (id, org_id, chat_id, user_id, status, step, is_report, created_at, started_at, ended_at)
    select new_id, org_id, $2, user_id, status, 0, is_report, created_at, started_at, ended_at from past order by seq
  ),
  said as (
    insert into messages (id, org_id, chat_id, turn_id, role, content, metadata, provider_used, agent_id, user_id, excluded, file_ids)
    select ${NEW_ID}, m.org_id, $2, past.new_id, m.role, m.content,
      case when m.role = 'assistant' then m.metadata || jsonb_build_object('turn_id', past.new_id) else m.metadata end,
      m.provider_used, m.agent_id, m.user_id, m.excluded, (
        select array_agg(f.copy order by named.at)
        from unnest(m.file_ids) with ordinality as named (id, at)
        join unnest($4::uuid[], $5::uuid[]) as f (original, copy) on f.original = named.id
      )
    from past join messages m on m.turn_id = past.id order by m.seq
  )
  select ${hasRoomForMessages('$6', '$7')} as "hasRoom"`;
