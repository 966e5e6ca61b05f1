import type { EntityManager } from '@mikro-orm/postgresql';
import { requireAgents } from '../agents/index.ts';
import { type Actor, noteInLog } from '../project-logs/index.ts';
import { uuidArray } from '../records/index.ts';

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
    `insert into project_agents (project_id, agent_id, org_id, place)
      select ?::uuid, g.id, ?::uuid, g.place from unnest(?::uuid[]) with ordinality as g (id, place)
      on conflict (project_id, agent_id) do update set place = excluded.place`,
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
      where g.project_id = ? and a.deleted_at is null order by g.place, a.id`,
    [projectId],
  );
  return rows.map(({ name }) => name);
}
