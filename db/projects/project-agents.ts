import type { EntityManager } from '@mikro-orm/postgresql';
import { notFound } from '../../domain/core/app-error.ts';
import { requireAgents } from '../agents/agents.ts';
import { type ChatReader, readableBy } from '../chats/chat.ts';
import type { Database } from '../core/database.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';
import type { Statement } from '../core/sql-pool.ts';
import { type Actor, noteInLog } from '../project-logs.ts';
import { uuidArray } from '../records/records.ts';

interface ProjectRef {
  readonly id: string;
  readonly name: string;
}

/**
 * Sets the agents that work in a project; `not_found` when there is no such live agent. Agents that the caller may not
 * use (those outside `visibleIds`) stay where they are.
 */
export async function setProjectAgents(
  em: EntityManager,
  actor: Actor,
  project: ProjectRef,
  {
    agentIds,
    visibleIds,
  }: { readonly agentIds: readonly string[]; readonly visibleIds?: readonly string[] | undefined },
): Promise<void> {
  await requireAgents(em, agentIds);
  const list = uuidArray([...new Set(agentIds)]);
  const visible = visibleIds === undefined ? null : uuidArray(visibleIds);
  const before = await namesOfAgents(em, project.id);
  await em.execute(
    `delete from project_agents where project_id = ? and agent_id <> all(?::uuid[])
      and (?::uuid[] is null or agent_id = any(?::uuid[]))`,
    [project.id, list, visible, visible],
  );
  await em.execute(
    `insert into project_agents (project_id, agent_id, org_id, position)
      select ?::uuid, g.id, ?::uuid, g.position from unnest(?::uuid[]) with ordinality as g (id, position)
      on conflict (project_id, agent_id) do update set position = excluded.position`,
    [project.id, actor.orgId, list],
  );
  const after = await namesOfAgents(em, project.id);
  if (before.join('\n') === after.join('\n')) return;
  const entry = { projectId: project.id, recordId: project.id, recordType: 'project', title: project.name } as const;
  await noteInLog(em, actor, { ...entry, action: 'assigned', changes: { agents: { from: before, to: after } } });
}

async function namesOfAgents(em: EntityManager, projectId: string): Promise<string[]> {
  const rows = await em.execute<{ name: string }[]>(
    `select a.name from project_agents g join agents a on a.id = g.agent_id
      where g.project_id = ? and a.deleted_at is null order by g.position, a.id`,
    [projectId],
  );
  return rows.map(({ name }) => name);
}

/** The work of an agent in a chat that the reader may read. */
interface AgentActivity {
  readonly chatId: string;
  readonly chatTitle: string;
  readonly status: 'queued' | 'running' | 'waiting';
  readonly since: Date;
}

/** An agent of a project, and what it is doing there. */
interface ProjectAgent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly agentType: string;
  readonly isActive: boolean;
  /** Its open turns in all chats of the project, also those that the reader may not read. */
  readonly openTurns: number;
  /** The oldest of them, of chats that the reader may read. */
  readonly activity: readonly AgentActivity[];
}

const MAX_ACTIVITY = 10;

/** Returns the live agents of a live project in their order, or those with the given ids, with what each is doing. */
export async function listProjectAgents(
  { tenant }: Database,
  reader: ChatReader,
  projectId: string,
  { onlyIds, ...page }: Page & { readonly onlyIds: readonly string[] | undefined },
): Promise<Listed<ProjectAgent>> {
  const live: Statement = {
    name: 'project-of-agents',
    text: 'select from projects where id = $1 and deleted_at is null',
    values: [projectId],
  };
  const read = async (statement: Statement) => {
    const [projects, rows] = await tenant.series(reader.orgId, [live, statement]);
    if (projects?.length !== 1) throw notFound('Project');
    return rows ?? [];
  };
  const listed = await readPage<AgentRow>(read, {
    name: 'list-project-agents',
    columns: `a.id, a.name, a.description, a.agent_type as "agentType", a.is_active as "isActive",
      coalesce(work.total, 0)::int as "openTurns", coalesce(work.activity, '[]') as activity`,
    bytes: `${300 + MAX_ACTIVITY * 400} + octet_length(a.name) + octet_length(a.description)`,
    source: `${OF_PROJECT} left join (${WORK}) work on work.agent_id = a.id where ${IS_LISTED}`,
    total: `(select count(*) ${OF_PROJECT} where ${IS_LISTED} and ${HAS_READER})`,
    order: 'g.position, a.id',
    values: [projectId, reader.orgId, onlyIds ?? null, reader.userId, reader.seesShared],
    page,
  });
  return { ...listed, items: listed.items.map(reviveDates) };
}

type AgentRow = Omit<ProjectAgent, 'activity'> & {
  readonly activity: readonly (Omit<AgentActivity, 'since'> & { readonly since: string })[];
};

// In JSON, the timestamps of nested rows are text.
function reviveDates({ activity, ...agent }: AgentRow): ProjectAgent {
  return { ...agent, activity: activity.map((each) => ({ ...each, since: new Date(each.since) })) };
}

const OF_PROJECT = 'from project_agents g join agents a on a.id = g.agent_id';
const IS_LISTED = 'g.project_id = $1 and a.deleted_at is null and ($3::uuid[] is null or a.id = any($3))';
// The count may be sent by itself, with the same parameters.
const HAS_READER = '$2::uuid is not null and $4::uuid is not null and $5::boolean is not null';

const openTurns = (isSubAgent: string) =>
  `select t.seq, t.chat_id, t.created_at, t.status, t.waiting_until from turns t
    where t.org_id = $2 and t.status in ('queued', 'running') and t.parent_turn_id ${isSubAgent}`;

// An organization has few open turns, however many chats: they are read once for all agents, by the two indexes of open
// turns.
const WORK = `with open as materialized (${openTurns('is null')} union all ${openTurns('is not null')})
  select o.agent_id, count(*) as total,
    json_agg(json_build_object('chatId', o.chat_id, 'chatTitle', o.title, 'status', o.status, 'since', o.created_at)
      order by o.seq) filter (where o.position <= ${MAX_ACTIVITY}) as activity
  from (
    select t.seq, t.chat_id, c.title, c.agent_id, t.created_at,
      case when t.waiting_until is not null then 'waiting' else t.status end as status,
      case when ${readableBy('c', '$4', '$5')} then
        count(*) filter (where ${readableBy('c', '$4', '$5')}) over (partition by c.agent_id order by t.seq) end as position
    from open t join chats c on c.id = t.chat_id join chats r on r.id = coalesce(c.root_chat_id, c.id)
    where r.project_id = $1 and c.deleted_at is null
  ) o group by o.agent_id`;
