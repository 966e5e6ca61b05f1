import type { EntityManager } from '@mikro-orm/postgresql';
import { type IssueStatus, MAX_TOLD_COMMENTS, type ToldComment } from '../../domain/issues.ts';
import { queuePush } from '../issue-pushes/index.ts';
import { type Actor, noteInLog } from '../project-logs.ts';
import { userName } from '../records/index.ts';
import type { Issue } from './issue.entity.ts';

/** The last comments of an issue, and whether one of them may repeat text from outside. */
interface LastComments {
  /** Newest first; of each so much as can be told. */
  readonly comments: readonly ToldComment[];
  readonly total: number;
  readonly areForeign: boolean;
}

/** The characters of a comment that are read: an agent is told fewer. */
const MAX_READ = 5_000;

/** Returns what was said last about an issue, for its agent. */
export async function lastComments(em: EntityManager, { id }: Issue): Promise<LastComments> {
  const rows = await em.execute<(ToldComment & { isForeign: boolean; total: string })[]>(
    `select left(k.content, ?) as content, k.is_foreign as "isForeign",
        coalesce(a.name, ${userName('u')}) as author,
        (select count(*) from issue_comments where issue_id = k.issue_id) as total
      from issue_comments k left join users u on u.id = k.user_id left join agents a on a.id = k.agent_id
      where k.issue_id = ? order by k.id desc limit ?`,
    [MAX_READ, id, MAX_TOLD_COMMENTS],
  );
  return {
    comments: rows.map(({ author, content }) => ({ author, content })),
    total: Number(rows[0]?.total ?? 0),
    areForeign: rows.some(({ isForeign }) => isForeign),
  };
}

/** Gives a locked issue another status, notes it in the log of the project, and has its code host told. */
export async function setIssueStatus(
  em: EntityManager,
  actor: Actor,
  issue: Issue,
  status: IssueStatus,
): Promise<void> {
  const { id: recordId, projectId, title, status: from } = issue;
  if (from === status) return;
  issue.status = status;
  await em.flush();
  const entry = { projectId, action: 'updated', recordType: 'issue', recordId, title } as const;
  await noteInLog(em, actor, { ...entry, changes: { status: { from, to: status } } });
  await queuePush(em, { issueId: recordId });
}
