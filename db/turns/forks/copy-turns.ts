import { NEW_MESSAGES } from '../../../domain/core/due-work.ts';
import { type Membership, orgLimitReached } from '../../../domain/orgs/index.ts';
import { hasRoomForMessages } from '../../chats/index.ts';
import type { Database } from '../../core/index.ts';
import { NEW_ID } from '../../core/sql/new-id.ts';

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
