import type { EntityManager } from '@mikro-orm/postgresql';
import { orgLimitReached, type OrgLimits } from '../../domain/orgs.ts';
import { heldByOwner } from '../orgs/index.ts';

/** The limit on what an owner's organizations write in issues, comments and tasks, and on what their runs keep. */
type WorkLimit = Pick<OrgLimits, 'workBytes'>;

/** Checks that the organization may write more in issues, comments and tasks; `conflict` when the limit is reached. */
export async function requireRoomForWork(em: EntityManager, orgId: string, limit: WorkLimit): Promise<void> {
  const [row] = await em.execute<{ bytes: string }[]>(`select ${heldByOwner('?', 'work_bytes')} as bytes`, [orgId]);
  if (Number(row?.bytes) >= limit.workBytes) throw orgLimitReached('workBytes', limit);
}
