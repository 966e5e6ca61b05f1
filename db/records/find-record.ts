import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { type ExpectedVersions, requireVersion } from '../../domain/resources/index.ts';

interface SoftDeleted {
  id: string;
  deletedAt: Date | null;
  deletedBy: string | null;
  updatedAt: Date;
}

/** Returns the live record; throws the same `not_found` for an unknown, a deleted and another organization's id. */
export async function findLive<T extends SoftDeleted>(
  em: EntityManager,
  entity: new () => T,
  thing: string,
  id: string,
) {
  const record = await em.findOne<SoftDeleted>(entity as new () => SoftDeleted, { id, deletedAt: null });
  if (record === null) throw notFound(thing);
  return record as T;
}

/** Deletes a live record softly, in the name of somebody. */
export function markDeleted(record: SoftDeleted, userId: string): void {
  record.deletedAt = new Date();
  record.deletedBy = userId;
}

interface DeletedRecord {
  /** What it is called in messages. */
  readonly thing: string;
  readonly id: string;
  readonly expected?: ExpectedVersions;
}

/**
 * Restores a deleted record; a record that is not deleted is a conflict, one of another version than is expected is not
 * restored.
 */
export async function restoreDeleted<T extends SoftDeleted>(
  em: EntityManager,
  entity: new () => T,
  { thing, id, expected }: DeletedRecord,
): Promise<T> {
  // Read anew: the transaction may have waited for another that has restored it.
  const record = await em.findOne<SoftDeleted>(entity as new () => SoftDeleted, { id }, { refresh: true });
  if (record === null) throw notFound(thing);
  requireVersion(record, expected);
  if (record.deletedAt === null) throw new AppError('conflict', `${thing} is not deleted`);
  record.deletedAt = null;
  record.deletedBy = null;
  return record as T;
}
