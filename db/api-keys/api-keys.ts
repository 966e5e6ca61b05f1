import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { notFound } from '../../domain/core/app-error.ts';
import { type Database, type Listed, type Page, readRecords } from '../core/index.ts';
import { ApiKey } from './api-key.entity.ts';

/** The user's keys of the organization, oldest first. */
export async function listApiKeys(
  database: Database,
  { orgId, userId }: { orgId: string; userId: string },
  page: Page,
): Promise<Listed<ApiKey>> {
  const query = { name: 'list-api-keys', where: 'user_id = $2', values: [userId], page };
  return readRecords(database, orgId, ApiKey, query);
}

interface NewApiKey {
  readonly orgId: string;
  readonly userId: string;
  readonly name: string;
  readonly publicId: string;
  readonly secretHash: Buffer;
}

/** Stores a key by the hash of its value. */
export function createApiKey(em: EntityManager, input: NewApiKey): ApiKey {
  return em.create(ApiKey, { ...input, lastUsedAt: null }, { persist: true });
}

/** Gives the user's key a new value; the old one is worthless when the transaction has ended. */
export async function rotateApiKey(
  em: EntityManager,
  { id, userId }: { id: string; userId: string },
  value: Pick<NewApiKey, 'publicId' | 'secretHash'>,
): Promise<ApiKey> {
  const key = await em.findOne(ApiKey, { id, userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (key === null) throw notFound('API key');
  return em.assign(key, value);
}

/** Deletes the user's key. */
export async function revokeApiKey(em: EntityManager, { id, userId }: { id: string; userId: string }): Promise<void> {
  const deleted = await em.nativeDelete(ApiKey, { id, userId });
  if (deleted === 0) throw notFound('API key');
}
