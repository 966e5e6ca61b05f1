import type { EntityManager } from '@mikro-orm/postgresql';
import { formatBytes } from '../../domain/core/format-bytes.ts';
import { limitReached } from '../../domain/core/limit-reached.ts';
import type { AppError } from '../../domain/core/app-error.ts';
import type { OrgLimits } from '../../domain/orgs/index.ts';

/** The limit on what an organization writes in issues, comments and tasks, and on what its workflows' runs keep. */
type WorkLimit = Pick<OrgLimits, 'workBytes'>;

/**
 * Returns, in SQL, the bytes of an organization's issues, comments, tasks and runs of workflows and schedules: what
 * was counted, and what came since.
 */
export function workBytesOf(orgId: string): string {
  return `(coalesce((select bytes from work_usage where org_id = ${orgId}), 0)
    + coalesce((select sum(bytes) from work_usage_changes where org_id = ${orgId}), 0))`;
}

/** Checks that the organization may write more in issues, comments and tasks; `conflict` when its limit is reached. */
export async function requireRoomForWork(em: EntityManager, orgId: string, limit: WorkLimit): Promise<void> {
  const [row] = await em.execute<{ bytes: string }[]>(`select ${workBytesOf('?')} as bytes`, [orgId, orgId]);
  if (Number(row?.bytes) >= limit.workBytes) throw workIsFull(limit);
}

/** Makes the error for an organization that has reached the limit. */
export function workIsFull({ workBytes }: WorkLimit): AppError {
  return limitReached('of issues, comments, tasks and runs of workflows', formatBytes(workBytes));
}
