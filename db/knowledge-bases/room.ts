import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { formatBytes } from '../../domain/core/format-bytes.ts';
import { limitReached } from '../../domain/core/limit-reached.ts';
import type { OrgLimits } from '../../domain/orgs/index.ts';

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
 * Checks that the organization's knowledge bases may grow by so many bytes; `conflict` when its limit is reached.
 * Blocks all who ask until the transaction has ended, so that the sum is exact.
 */
export async function requireRoomForKnowledge(
  em: EntityManager,
  orgId: string,
  bytes: number,
  { knowledgeBytes }: Pick<OrgLimits, 'knowledgeBytes'>,
): Promise<void> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`knowledge ${orgId}`]);
  const [row] = await em.execute<{ bytes: string }[]>(
    'select coalesce(sum(bytes), 0) as bytes from knowledge_bases where org_id = ?',
    [orgId],
  );
  if (Number(row?.bytes) + bytes > knowledgeBytes)
    throw limitReached('of documents in knowledge bases', formatBytes(knowledgeBytes));
}

/** Makes the error for a document that a knowledge base has already. */
export function isThereAlready(title: string): AppError {
  return new AppError('conflict', `The knowledge base has this already, as the document "${title}"`);
}
