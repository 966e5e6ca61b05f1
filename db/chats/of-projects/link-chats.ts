import type { EntityManager } from '@mikro-orm/postgresql';
import { afterCommit } from '../../core/index.ts';

/** A project that is deleted or restored. */
interface ProjectRef {
  readonly id: string;
  readonly orgId: string;
}

/** Takes the chats out of a project that is being deleted; from then on only their owners read them. */
export async function unlinkChats(em: EntityManager, { id, orgId }: ProjectRef): Promise<void> {
  await em.execute(
    `update chats set project_id = null, former_project_id = project_id, left_project_at = now() where project_id = ?`,
    [id],
  );
  afterCommit(em, { accessTo: [orgId] });
}

/**
 * Gives a project that is being restored its chats back, which are shared again. Those that went on meanwhile come back
 * private: what was said and done there since was for their owners alone.
 */
export async function relinkChats(em: EntityManager, { id }: ProjectRef): Promise<void> {
  await em.execute(
    `update chats c set project_id = c.former_project_id, former_project_id = null, left_project_at = null,
        is_private = c.is_private or c.updated_at > c.left_project_at or exists (
          select from tasks k where k.chat_id = c.id and k.updated_at > c.left_project_at
        )
      where c.former_project_id = ?`,
    [id],
  );
}
