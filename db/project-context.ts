import {
  type ContextRepository,
  hasForeignText,
  MAX_CONTEXT_PROJECTS,
  type ProjectContext,
} from '../domain/project-context/describe-projects.ts';
import type { Policy } from '../domain/permissions/policy.ts';
import { restrictProjects } from '../domain/permissions/restrict.ts';
import type { TenantDatabase } from './core/database.ts';
import { projectOf } from './chats/chat.ts';
import type { TurnPart } from './turns/claim/turn-parts.ts';

/** The issues that are shown; one more is read, so that it is known whether there are others. */
const ISSUES = 12;
const DESCRIPTION_CHARACTERS = 1_200;

/** A project as the statement reads it. */
interface ProjectContextRow
  extends Omit<ProjectContext, 'repository' | 'hasMoreIssues'>, Omit<ContextRepository, 'url' | 'type'> {
  readonly repoUrl: string;
  readonly repoType: ContextRepository['type'];
}

/** For whom projects are read, as SQL. */
interface Reader {
  readonly agentId: string;
  readonly userId: string;
  /** The project of the chat; null for none. */
  readonly projectId: string;
  /** Whether the chat has read text from outside. */
  readonly hasForeignText: string;
}

// As in the index `issues_open`, which gives the issues in this order only if it is written alike.
const rankOf = (issue: string) =>
  `case ${issue}.status when 'in_progress' then 1 when 'in_review' then 2 when 'todo' then 3 else 4 end`;

/**
 * Reads the work of the project `p` for the agent and the user of `w`: open issues, those of the agent first; and
 * tasks, by the function `project_tasks` of the schema.
 */
const WORK = `select (
  select coalesce(json_agg(json_build_object('number', i.number, 'title', i.title, 'status', i.status,
      'priority', i.priority, 'isOwn', i.is_own, 'isForeign', i.is_foreign)
      order by i.is_own desc, i.rank, i.id desc), '[]')
  from (
    select distinct on (is_own, rank, x.id) x.id, x.number, left(x.title, 200) as title, x.status, x.priority,
      x.is_foreign, coalesce(x.assigned_agent_id = w.agent_id, false) as is_own,
      ${rankOf('x')} as rank
    from (
      (select o.id, o.number, o.title, o.status, o.priority, o.is_foreign, o.assigned_agent_id from issues o
        where o.assigned_agent_id = w.agent_id and o.project_id = p.id
          and o.status in ('backlog', 'todo', 'in_progress', 'in_review')
        order by o.id desc limit 13)
      union all
      (select o.id, o.number, o.title, o.status, o.priority, o.is_foreign, o.assigned_agent_id from issues o
        where o.project_id = p.id and o.status in ('backlog', 'todo', 'in_progress', 'in_review')
        order by ${rankOf('o')}, o.id desc limit 13)
    ) x
    order by is_own desc, rank, x.id desc limit 13
  ) i
) as issues, (
  select project_tasks(p.id, w.agent_id, w.user_id)
) as tasks`;

/**
 * Returns the statement that reads an agent's context: the project of its chat, or else those that it is assigned to.
 * It reads a bounded number of rows by the ends of indexes, however many issues, chats and tasks there are.
 */
function projectContextOf({ agentId, userId, projectId, hasForeignText }: Reader): string {
  return `select p.id, p.name, left(p.description, ${DESCRIPTION_CHARACTERS}) as description, p.repo_url as "repoUrl",
      p.repo_type as "repoType", t.default_branch as "defaultBranch", coalesce(t.branches, '[]') as branches,
      coalesce(t.has_more_branches, false) as "hasMoreBranches", coalesce(t.outline, '') as outline, t.files,
      work.issues, work.tasks, w.has_foreign_text as "hasForeignText"
    from (
      select ${agentId} as agent_id, ${userId} as user_id, ${projectId} as project_id, ${hasForeignText} as has_foreign_text
    ) w
    cross join lateral (
      select j.id, j.name, j.description, j.repo_url, j.repo_type from projects j
        where j.id = w.project_id and j.deleted_at is null
      union all
      (select j.id, j.name, j.description, j.repo_url, j.repo_type
        from project_agents g join projects j on j.id = g.project_id
        where w.project_id is null and g.agent_id = w.agent_id and j.deleted_at is null
        order by j.id limit ${MAX_CONTEXT_PROJECTS})
    ) p
    left join repo_trees t on t.project_id = p.id and t.repo_url = p.repo_url
    cross join lateral (${WORK}) work
    order by p.id`;
}

/** Builds the project context of an agent, restricted to what the user may see. */
function toProjectContext(
  rows: readonly ProjectContextRow[],
  { userId, policy }: { readonly userId: string; readonly policy: Policy | null },
): readonly ProjectContext[] {
  return restrictProjects(policy, userId, rows.map(toProject));
}

function toProject(row: ProjectContextRow): ProjectContext {
  const { id, name, description, issues, tasks } = row;
  const { repoUrl: url, repoType: type, defaultBranch, branches, hasMoreBranches, outline, files } = row;
  const repository = url === '' ? null : { url, type, defaultBranch, branches, hasMoreBranches, outline, files };
  const work = { issues: issues.slice(0, ISSUES), hasMoreIssues: issues.length > ISSUES, tasks };
  return { id, name, description, repository, ...work };
}

/**
 * Reads the project context that an agent would get in a chat of a user: the given project, or else those it is
 * assigned to.
 */
export async function readProjectContext(
  { tenant }: TenantDatabase,
  orgId: string,
  {
    agentId,
    userId,
    projectId,
  }: { readonly agentId: string; readonly userId: string; readonly projectId: string | null },
  policy: Policy,
): Promise<readonly ProjectContext[]> {
  const rows = await tenant.query<ProjectContextRow>(orgId, {
    name: 'read-project-context',
    text: OF_AGENT,
    values: [agentId, userId, projectId],
  });
  return toProjectContext(rows, { userId, policy });
}

const OF_AGENT = projectContextOf({
  agentId: '$1::uuid',
  userId: '$2::uuid',
  projectId: '$3::uuid',
  hasForeignText: 'false',
});

/** The project context of a turn's agent. */
interface TurnProjects {
  /** Those that the user may see, as far as they may. */
  readonly described: readonly ProjectContext[];
  /** Whether they contain text from outside, and are the first in their chat that do. */
  readonly bringForeignText: boolean;
}

interface Row extends ProjectContextRow {
  readonly hasForeignText: boolean;
}

/** The projects that the agent of the chat works in. */
export const projectsForTurn: TurnPart<Row, TurnProjects> = {
  text: projectContextOf({
    agentId: 'c.agent_id',
    userId: 'c.user_id',
    projectId: projectOf('c'),
    hasForeignText: 'c.has_foreign_text',
  }),
  of: (rows, owner) => {
    const described = toProjectContext(rows, owner);
    return { described, bringForeignText: rows[0]?.hasForeignText === false && hasForeignText(described) };
  },
};
