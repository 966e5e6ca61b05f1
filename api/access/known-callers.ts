import { LRUCache } from 'lru-cache';
import type { IdentifiedCaller } from './authenticate.ts';

/** A caller who was looked up, and how long their credential stays valid by itself, in milliseconds. */
export interface FoundCaller {
  readonly caller: IdentifiedCaller;
  readonly validForMs: number;
}

/** How long a caller is cached at most, in case an invalidation is lost. */
const MAX_AGE_MS = 3_000;
/** Callers that are remembered, in all and of one user: the least recently used are forgotten first. */
const MAX_CALLERS = 20_000;
const MAX_OF_USER = 100;

/**
 * Remembers for some seconds who sends a credential, so that everyday requests look up none. Callers are forgotten at
 * once when their rights or credentials change: in this process before the change is answered, in others by
 * notification. While this process hears no notifications, it remembers nobody. Only members of an organization are
 * remembered: an invalid credential is looked up each time, so it uses no entry and begins to work as soon as it
 * exists.
 */
export class KnownCallers {
  readonly #known = new LRUCache<string, IdentifiedCaller>({
    max: MAX_CALLERS,
    ttl: MAX_AGE_MS,
    // The clock that `start` is read from, each time.
    perf: performance,
    ttlResolution: 0,
    dispose: ({ userId }, credential) => this.#unlist(userId, credential),
  });
  readonly #credentialsOf = new Map<string, Set<string>>();
  // Concurrent requests with the same credential share one look-up.
  readonly #lookUps = new Map<string, Promise<IdentifiedCaller>>();
  #isListening = true;
  // A look-up that started before a change may return outdated data.
  #changes = 0;

  /** Returns the caller of a credential, by whose digest they are remembered; `lookUp` finds one who is not. */
  async find(digest: string, lookUp: () => Promise<FoundCaller>): Promise<IdentifiedCaller> {
    const known = this.#known.get(digest);
    if (known !== undefined) return known;
    if (!this.#isListening) return (await lookUp()).caller;
    const shared = this.#lookUps.get(digest) ?? this.#lookUp(digest, lookUp);
    this.#lookUps.set(digest, shared);
    try {
      return await shared;
    } finally {
      if (this.#lookUps.get(digest) === shared) this.#lookUps.delete(digest);
    }
  }

  /** Forgets a user, whose rights or credentials have changed. */
  forget(userId: string): void {
    this.#change();
    for (const credential of this.#credentialsOf.get(userId) ?? []) this.#known.delete(credential);
  }

  /** Forgets everybody, and remembers nobody until `resume`: changes are not heard. */
  suspend(): void {
    this.#isListening = false;
    this.#change();
    this.#known.clear();
  }

  /** Remembers callers again: changes are heard from now on. */
  resume(): void {
    this.#isListening = true;
    this.#change();
  }

  #change(): void {
    this.#changes += 1;
    this.#lookUps.clear();
  }

  async #lookUp(digest: string, lookUp: () => Promise<FoundCaller>): Promise<IdentifiedCaller> {
    const changes = this.#changes;
    const start = performance.now();
    const { caller, validForMs } = await lookUp();
    // A result is as old as the start of its look-up; one that has expired by now is not cached.
    const ttl = Math.floor(Math.min(MAX_AGE_MS, validForMs));
    if (changes === this.#changes && ttl > 0 && caller.orgId !== null) this.#remember(digest, caller, { start, ttl });
    return caller;
  }

  #remember(digest: string, caller: IdentifiedCaller, age: { readonly start: number; readonly ttl: number }): void {
    this.#known.set(digest, caller, age);
    const ofUser = this.#credentialsOf.get(caller.userId) ?? new Set();
    this.#credentialsOf.set(caller.userId, ofUser.add(digest));
    const [oldest] = ofUser;
    if (ofUser.size > MAX_OF_USER && oldest !== undefined) this.#known.delete(oldest);
  }

  #unlist(userId: string, digest: string): void {
    const ofUser = this.#credentialsOf.get(userId);
    ofUser?.delete(digest);
    if (ofUser?.size === 0) this.#credentialsOf.delete(userId);
  }
}
