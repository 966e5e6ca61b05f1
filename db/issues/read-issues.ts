import { notFound } from '../../domain/core/app-error.ts';
import type { IssueStatus } from '../../domain/issues/index.ts';
import { parseSearchQuery } from '../../domain/search/index.ts';
import { type Database, type Listed, type Page, readPage } from '../core/index.ts';
import { lookFor, queryFor } from '../search/index.ts';
import type { Issue } from './issue.entity.ts';
import { issueKey } from './write-issues.ts';

/** An issue as it is shown, with the names of those it refers to. */
export interface ShownIssue extends Omit<Issue, 'orgId'> {
  readonly assignedAgentName: string | null;
  readonly assignedUserName: string | null;
  readonly userName: string | null;
  readonly agentName: string | null;
}

/** What narrows a list of issues; an issue has to match all that is given. */
export interface IssueFilter {
  readonly projectId?: string | undefined;
  readonly status?: IssueStatus | undefined;
  readonly label?: string | undefined;
  readonly assignedAgentId?: string | undefined;
  readonly assignedUserId?: string | undefined;
  /** Words of title and description, as a search takes them. */
  readonly q?: string | undefined;
}

const nameOf = (user: string) => `coalesce(nullif(${user}.full_name, ''), ${user}.email)`;

const ISSUE = `i.id, i.project_id as "projectId", i.number, i.title, i.description, i.status, i.priority, i.labels,
  i.assigned_agent_id as "assignedAgentId", aa.name as "assignedAgentName", i.assigned_user_id as "assignedUserId",
  ${nameOf('au')} as "assignedUserName", i.user_id as "userId", ${nameOf('u')} as "userName", i.agent_id as "agentId",
  a.name as "agentName", i.is_foreign as "isForeign", i.created_at as "createdAt", i.updated_at as "updatedAt"`;
const JOINS = `left join agents aa on aa.id = i.assigned_agent_id left join users au on au.id = i.assigned_user_id
  left join agents a on a.id = i.agent_id left join users u on u.id = i.user_id`;

/** Returns the organization's issues of live projects that match, newest first. */
export async function listIssues(
  { tenant }: Database,
  orgId: string,
  filter: IssueFilter,
  page: Page,
): Promise<Listed<ShownIssue>> {
  const { q } = filter;
  const phrases = q === undefined ? undefined : parseSearchQuery(q);
  // Nothing is found by what holds no word.
  if (phrases?.length === 0) return { items: [], total: 0, nextOffset: undefined };
  const { condition, values } = conditionOf(orgId, filter);
  const query = phrases && queryFor(phrases, issueKey(orgId));
  // Not prepared: the best index depends on the filters.
  return readPage<ShownIssue>(
    async (statement) => {
      if (query === undefined) return tenant.query(orgId, statement);
      const [, rows] = await tenant.series(orgId, [lookFor(query), statement, lookFor('')]);
      return rows;
    },
    {
      columns: ISSUE,
      bytes: '1500 + octet_length(i.title) + octet_length(i.description) + octet_length(i.labels::text)',
      source: `from issues i ${JOINS} where ${condition}`,
      total: `(select count(*) from issues i where ${condition})`,
      order: 'i.id desc',
      values,
      page,
    },
  );
}

// The array is made once, by the index of words or labels.
function conditionOf(orgId: string, filter: IssueFilter): { condition: string; values: string[] } {
  const { projectId, status, label, assignedAgentId, assignedUserId, q } = filter;
  const parts: readonly [string, string | undefined][] = [
    ['i.org_id = ?', orgId],
    ['i.project_id = ?', projectId],
    ['i.status = ?', status],
    ['i.id = any(array(select issue_id from issue_labels where org_id = $1 and label = ?))', label],
    ['i.assigned_agent_id = ?', assignedAgentId],
    ['i.assigned_user_id = ?', assignedUserId],
  ];
  const values: string[] = [];
  const conditions = parts.flatMap(([text, value]) => {
    if (value === undefined) return [];
    const place = values.push(value);
    return [text.replace('?', () => `$${place}`)];
  });
  const found = q === undefined ? [] : ['i.id = any(array(select issue_id from issue_words where org_id = $1))'];
  const live = 'i.project_id in (select id from projects where org_id = $1 and deleted_at is null)';
  return { condition: [...conditions, ...found, live].join(' and '), values };
}

/** Returns the issue of a live project; `not_found` when there is none. */
export async function getIssue({ tenant }: Database, orgId: string, id: string): Promise<ShownIssue> {
  const [issue] = await tenant.query<ShownIssue>(orgId, {
    name: 'get-issue',
    text: `select ${ISSUE} from issues i ${JOINS}
      where i.id = $1 and exists (select from projects p where p.id = i.project_id and p.deleted_at is null)`,
    values: [id],
  });
  if (issue === undefined) throw notFound('Issue');
  return issue;
}
