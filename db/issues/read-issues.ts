import { notFound } from '../../domain/core/app-error.ts';
import type { IssueStatus } from '../../domain/issues.ts';
import type { RemoteState } from '../../domain/issue-sync/remote-records.ts';
import type { SyncConflict } from '../../domain/issue-sync/merge-fields.ts';
import { isAgentHidden } from '../../domain/permissions/restrict.ts';
import type { Policy } from '../../domain/permissions/policy.ts';
import { parseSearchQuery } from '../../domain/search.ts';
import type { Database } from '../core/database.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';
import type { Actor } from '../project-logs.ts';
import { userName } from '../records/records.ts';
import { whereAll } from '../core/sql.ts';
import { keyOf, queryFor } from '../search/search-words.ts';
import { setQuery } from '../search/search-messages.ts';
import type { Issue } from './issue.entity.ts';

/** An issue as it is shown, with the names of those it refers to. */
export interface ShownIssue extends Omit<Issue, 'orgId'> {
  readonly assignedAgentName: string | null;
  readonly assignedUserName: string | null;
  readonly userName: string | null;
  readonly agentName: string | null;
  /** The issue at the code host that it is kept in step with. */
  readonly remote: ShownRemote | null;
}

/** An issue at a code host, as last reported. */
interface ShownRemote {
  readonly number: number;
  readonly url: string | null;
  readonly author: string | null;
  readonly state: RemoteState;
  readonly changedAt: Date;
  readonly syncedAt: Date;
  /** The fields that were last changed on both sides. */
  readonly conflicts: readonly SyncConflict[] | null;
  readonly conflictedAt: Date | null;
  /** Why the host rejected a change or a comment made here; the newest of several reasons. */
  readonly pushError: string | null;
}

/** A reader or editor of issues: a user, or an agent that works for them. */
export interface IssueActor extends Actor {
  readonly policy: Policy;
}

/** The filters of a list of issues; an issue has to match all that are set. */
export interface IssueFilter {
  readonly projectId?: string | undefined;
  readonly status?: IssueStatus | undefined;
  readonly label?: string | undefined;
  readonly assignedAgentId?: string | undefined;
  readonly assignedUserId?: string | undefined;
  /** Words of title and description, as a search takes them. */
  readonly q?: string | undefined;
}

// Not joined: planning so many joins takes longer than reading the names of a page.
const agentOf = (id: string) => `(select a.name from agents a where a.id = ${id})`;
const userOf = (id: string) => `(select ${userName('u')} from users u where u.id = ${id})`;
const ISSUE = `i.id, i.project_id as "projectId", i.number, i.title, i.description, i.status, i.priority, i.labels,
  i.assigned_agent_id as "assignedAgentId", ${agentOf('i.assigned_agent_id')} as "assignedAgentName",
  i.assigned_user_id as "assignedUserId", ${userOf('i.assigned_user_id')} as "assignedUserName",
  i.user_id as "userId", ${userOf('i.user_id')} as "userName",
  i.agent_id as "agentId", ${agentOf('i.agent_id')} as "agentName", i.is_foreign as "isForeign",
  i.created_at as "createdAt", i.updated_at as "updatedAt",
  case when r.issue_id is not null then json_build_object('number', r.number, 'url', r.url, 'author', r.author,
    'state', r.state, 'changedAt', r.changed_at, 'syncedAt', r.synced_at, 'conflicts', r.conflicts,
    'conflictedAt', r.conflicted_at, 'pushError', (select q.error from issue_pushes q where
      q.issue_id = i.id and q.error is not null order by q.id desc limit 1)) end as remote`;
const JOIN = 'left join remote_issues r on r.issue_id = i.id';

/** Returns what begins each word of an organization's issues. */
export function issueKey(orgId: string): string {
  return `${keyOf(`${orgId} issues`)}:`;
}

/**
 * Returns the organization's issues of live projects that match, newest first. By an agent that the reader may not use
 * none is found.
 */
export async function listIssues(
  { tenant }: Database,
  { orgId, policy }: Pick<IssueActor, 'orgId' | 'policy'>,
  filter: IssueFilter,
  page: Page,
): Promise<Listed<ShownIssue>> {
  const { q, assignedAgentId } = filter;
  const phrases = q === undefined ? undefined : parseSearchQuery(q);
  const isHidden = assignedAgentId !== undefined && isAgentHidden(policy, assignedAgentId);
  // A query without a word finds nothing.
  if (isHidden || phrases?.length === 0) return { items: [], total: 0, nextOffset: undefined };
  const { condition, values } = conditionOf(orgId, filter);
  const query = phrases && queryFor(phrases, issueKey(orgId));
  // Not prepared: the best index depends on the filters.
  const listed = await readPage<IssueRow>(
    async (statement) => {
      if (query === undefined) return tenant.query(orgId, statement);
      const [, rows] = await tenant.series(orgId, [setQuery(query), statement, setQuery('')]);
      return rows;
    },
    {
      columns: ISSUE,
      bytes: `1900 + octet_length(i.title) + octet_length(i.description) + octet_length(i.labels::text)
        + coalesce(octet_length(r.conflicts::text), 0)`,
      source: `from issues i ${JOIN} where ${condition}`,
      total: `(select count(*) from issues i where ${condition})`,
      order: 'i.id desc',
      values,
      page,
    },
  );
  return { ...listed, items: listed.items.map(withDates) };
}

type RemoteRow = Omit<ShownRemote, 'changedAt' | 'syncedAt' | 'conflictedAt'> &
  Readonly<Record<'changedAt' | 'syncedAt', string>> & { readonly conflictedAt: string | null };
type IssueRow = Omit<ShownIssue, 'remote'> & { readonly remote: RemoteRow | null };

// In JSON, the timestamps of nested rows are text.
function withDates({ remote, ...issue }: IssueRow): ShownIssue {
  if (remote === null) return { ...issue, remote };
  const { changedAt, syncedAt, conflictedAt, ...others } = remote;
  const times = {
    changedAt: new Date(changedAt),
    syncedAt: new Date(syncedAt),
    conflictedAt: conflictedAt === null ? null : new Date(conflictedAt),
  };
  return { ...issue, remote: { ...others, ...times } };
}

// The array is made once, by the index of words or labels.
function conditionOf(orgId: string, filter: IssueFilter): { condition: string; values: string[] } {
  const { projectId, status, label, assignedAgentId, assignedUserId, q } = filter;
  const { where, values } = whereAll([
    ['i.org_id = ?', orgId],
    ['i.project_id = ?', projectId],
    ['i.status = ?', status],
    ['i.id = any(array(select issue_id from issue_labels where org_id = $1 and label = ?))', label],
    ['i.assigned_agent_id = ?', assignedAgentId],
    ['i.assigned_user_id = ?', assignedUserId],
  ]);
  const found = q === undefined ? [] : ['i.id = any(array(select issue_id from issue_words where org_id = $1))'];
  const live = 'i.project_id in (select id from projects where org_id = $1 and deleted_at is null)';
  return { condition: [where, ...found, live].join(' and '), values };
}

/** Returns the issue of a live project; `not_found` when there is none. */
export async function getIssue({ tenant }: Database, orgId: string, id: string): Promise<ShownIssue> {
  const [issue] = await tenant.query<IssueRow>(orgId, {
    name: 'get-issue',
    text: `select ${ISSUE} from issues i ${JOIN}
      where i.id = $1 and exists (select from projects p where p.id = i.project_id and p.deleted_at is null)`,
    values: [id],
  });
  if (issue === undefined) throw notFound('Issue');
  return withDates(issue);
}
