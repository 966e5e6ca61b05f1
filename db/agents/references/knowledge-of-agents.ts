import type { EntityManager } from '@mikro-orm/postgresql';
import type { TenantDatabase } from '../../core/index.ts';

/** Returns the ids of the knowledge bases that were chosen for an agent; `null` when none were, and it may use all. */
export async function findChosenKnowledge(
  { tenant }: TenantDatabase,
  { orgId, agentId }: { readonly orgId: string; readonly agentId: string },
): Promise<readonly string[] | null> {
  const [agent] = await tenant.query<{ ids: readonly string[] | null }>(orgId, {
    name: 'find-chosen-knowledge',
    text: 'select knowledge_base_ids as ids from agents where id = $1',
    values: [agentId],
  });
  return agent === undefined ? [] : agent.ids;
}

/** Takes a knowledge base that is deleted from all agents for which it was chosen; they do not get others instead. */
export async function forgetKnowledgeBase(em: EntityManager, orgId: string, id: string): Promise<void> {
  await em.execute(
    `update agents set knowledge_base_ids = knowledge_base_ids - ?::text
      where org_id = ? and knowledge_base_ids @> to_jsonb(?::text)`,
    [id, orgId, id],
  );
}
