import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { Payer } from '../../domain/core/keyed-semaphore.ts';
import type { Payers } from '../core/sql-pool.ts';

/** The number of organizations whose owners are remembered, and for how long: one may hand an organization over. */
const MAX_REMEMBERED = 10_000;
const REMEMBERED_MS = 60_000;

/** Remembers owners; each is looked up once a minute, where somebody asks. */
export class KnownPayers implements Payers {
  readonly #known: LRUCache<string, Payer>;

  constructor(system: pg.Pool) {
    this.#known = new LRUCache<string, Payer>({
      max: MAX_REMEMBERED,
      ttl: REMEMBERED_MS,
      allowStale: true,
      allowStaleOnFetchRejection: true,
      fetchMethod: async (orgId) => {
        const { rows } = await system.query<{ ownerId: string }>({
          name: 'find-payer',
          text: `select user_id as "ownerId" from memberships where org_id = $1 and role = 'owner'`,
          values: [orgId],
        });
        return { ownerId: rows[0]?.ownerId ?? orgId, orgId };
      },
    });
  }

  async of(orgId: string): Promise<Payer> {
    const payer = await this.#known.fetch(orgId).catch(() => undefined);
    return payer ?? { ownerId: orgId, orgId };
  }

  known(orgId: string): Payer {
    if (!this.#known.has(orgId)) void this.of(orgId);
    return this.#known.peek(orgId) ?? { ownerId: orgId, orgId };
  }
}
