import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { orgLimitReached, type OrgLimits } from '../../domain/orgs.ts';
import { heldByOwner, lockForOwner } from '../orgs/index.ts';

/** A knowledge base that is locked until the transaction has ended. */
interface LockedBase {
  readonly documents: number;
}

/** Locks a knowledge base until the transaction has ended; `not_found` when there is none. */
export async function lockBase(em: EntityManager, id: string): Promise<LockedBase> {
  const [base] = await em.execute<LockedBase[]>('select documents from knowledge_bases where id = ? for update', [id]);
  if (base === undefined) throw notFound('Knowledge base');
  return base;
}

/**
 * Checks that the knowledge bases of the owner's organizations may grow by so many bytes; `conflict` when their limit
 * is reached. Blocks all who ask until the transaction has ended, so that the sum is exact.
 */
export async function requireRoomForKnowledge(
  em: EntityManager,
  orgId: string,
  bytes: number,
  limits: Pick<OrgLimits, 'knowledgeBytes'>,
): Promise<void> {
  await em.execute(lockForOwner('?', '?'), [orgId, 'knowledge']);
  const [row] = await em.execute<{ bytes: string }[]>(`select ${heldByOwner('?', 'knowledge_bytes')} as bytes`, [
    orgId,
  ]);
  if (Number(row?.bytes) + bytes > limits.knowledgeBytes) throw orgLimitReached('knowledgeBytes', limits);
}

/** Makes the error for a document that a knowledge base has already. */
export function isThereAlready(title: string): AppError {
  return new AppError('conflict', `The knowledge base has this already, as the document "${title}"`);
}
