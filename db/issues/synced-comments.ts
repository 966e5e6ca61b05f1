import type { EntityManager } from '@mikro-orm/postgresql';
import { MAX_COMMENTS } from '../../domain/issues.ts';

/** A comment of a code host that is new here. */
interface SyncedComment {
  readonly id: string;
  readonly issueId: string;
  readonly content: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Adds the comments of a code host, as far as their issues have room. Returns the ids of those that were added. */
export async function addSyncedComments(
  em: EntityManager,
  orgId: string,
  comments: readonly SyncedComment[],
): Promise<string[]> {
  if (comments.length === 0) return [];
  const added = await em.execute<{ id: string }[]>(
    `insert into issue_comments (id, org_id, issue_id, content, is_foreign, created_at, updated_at)
      select v.id, ?::uuid, v."issueId", v.content, true, v."createdAt", v."updatedAt"
      from (
        select g.*, row_number() over (partition by g."issueId" order by g.id) as place
        from jsonb_to_recordset(?::jsonb)
          as g (id uuid, "issueId" uuid, content text, "createdAt" timestamptz, "updatedAt" timestamptz)
      ) v
      where v.place + (select count(*) from issue_comments k where k.issue_id = v."issueId") <= ?
      returning id`,
    [orgId, JSON.stringify(comments), MAX_COMMENTS],
  );
  return added.map(({ id }) => id);
}

/** Changes comments to what their code host tells. Returns how many of them differed. */
export async function changeSyncedComments(
  em: EntityManager,
  comments: readonly Pick<SyncedComment, 'id' | 'content' | 'updatedAt'>[],
): Promise<number> {
  if (comments.length === 0) return 0;
  const changed = await em.execute<object[]>(
    `update issue_comments k set content = v.content, updated_at = v."updatedAt"
      from jsonb_to_recordset(?::jsonb) as v (id uuid, content text, "updatedAt" timestamptz)
      where k.id = v.id and k.content <> v.content returning k.id`,
    [JSON.stringify(comments)],
  );
  return changed.length;
}

/** Deletes a comment that was deleted at its code host. */
export async function removeSyncedComment(em: EntityManager, id: string): Promise<void> {
  await em.execute('delete from issue_comments where id = ?', [id]);
}
