import { LRUCache } from 'lru-cache';
import { type ChatAudience, findAudiences } from '../../db/chats/index.ts';
import type { Database } from '../../db/core/index.ts';

/** Chats whose audience is remembered, and for how long in case the news of a change was lost. */
const KNOWN = { max: 20_000, ttl: 60_000 };

/** Who may know of chats: looked up once, for many chats by one statement, and forgotten when that changes. */
export class ChatAudiences {
  readonly #database: Pick<Database, 'system'>;
  readonly #known = new LRUCache<string, ChatAudience>(KNOWN);
  // Grows with everything that is forgotten: what was looked up before may be out of date.
  #generation = 0;

  constructor(database: Pick<Database, 'system'>) {
    this.#database = database;
  }

  /** Returns the organization of a chat that was looked up before. */
  knownOrgOf(chatId: string): string | undefined {
    return this.#known.get(chatId)?.orgId;
  }

  /** Returns the audience of each chat that there is, by its id. */
  async of(chatIds: readonly string[]): Promise<ReadonlyMap<string, ChatAudience>> {
    const found = new Map<string, ChatAudience>();
    for (const id of chatIds) {
      const audience = this.#known.get(id);
      if (audience !== undefined) found.set(id, audience);
    }
    const unknown = chatIds.filter((id) => !found.has(id));
    if (unknown.length === 0) return found;
    const generation = this.#generation;
    for (const audience of await findAudiences(this.#database, unknown)) {
      if (generation === this.#generation) this.#known.set(audience.chatId, audience);
      found.set(audience.chatId, audience);
    }
    return found;
  }

  /** Forgets a chat: it was shared or made private. */
  forget(chatId: string): void {
    this.#generation += 1;
    this.#known.delete(chatId);
  }

  /** Forgets all chats: news may have been lost. */
  clear(): void {
    this.#generation += 1;
    this.#known.clear();
  }
}
