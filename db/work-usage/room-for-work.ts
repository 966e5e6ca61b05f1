import type { EntityManager } from '@mikro-orm/postgresql';
import { type OrgLimits, orgLimitReached } from '../../domain/orgs/index.ts';
import { heldByOwner } from '../orgs/index.ts';

/** The limit on what an organization writes in issues, comments and tasks, and on what its workflows' runs keep. */
type WorkLimit = Pick<OrgLimits, 'workBytes'>;

/**
 * Returns, in SQL, the bytes of issues, comments, tasks and runs of workflows and schedules, of all organizations of an
 * organization's owner: what was counted, and what came since.
 */
export function workBytesOf(orgId: string): string {
  return heldByOwner(orgId, 'work_bytes');
}

/** Checks that the organization may write more in issues, comments and tasks; `conflict` when its limit is reached. */
export async function requireRoomForWork(em: EntityManager, orgId: string, limit: WorkLimit): Promise<void> {
  const [row] = await em.execute<{ bytes: string }[]>(`select ${workBytesOf('?')} as bytes`, [orgId]);
  if (Number(row?.bytes) >= limit.workBytes) throw orgLimitReached('workBytes', limit);
}
