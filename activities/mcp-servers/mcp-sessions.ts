import { LRUCache } from 'lru-cache';
import type { McpConnection } from '../../db/mcp-servers/for-turn.ts';
import { programKeyOf } from '../../domain/mcp-servers.ts';
import { MAX_OPEN_PROGRAMS } from './mcp-programs.ts';
import type { KnownProtocol, McpSession } from './sessions/mcp-session.ts';
import { untilAborted } from '../core/cancellation.ts';
import type { SessionDeps } from './sessions/wire.ts';

const MAX_SESSIONS = 64;

const MAX_IDLE_MS = 5 * 60_000;

const MAX_KNOWN = 1_000;

/** A session, open or being opened. */
interface Entry {
  /** What it is made from; other settings open another one. */
  readonly connection: string;
  readonly opening: Promise<McpSession>;
  session: McpSession | undefined;
}

/**
 * The open sessions of this process: at most one for each server of an organization. Organizations never share one, not
 * even at the same address.
 */
export class McpSessions {
  readonly #deps: SessionDeps;
  readonly #overNetwork = createEntries(MAX_SESSIONS);
  readonly #withPrograms = createEntries(MAX_OPEN_PROGRAMS);
  /** By the connection. */
  readonly #known = new LRUCache<string, KnownProtocol>({ max: MAX_KNOWN, ttl: 24 * 3_600_000 });

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the session with a server, and whether it was open already; opens one unless there is one, however many
   * ask. Throws `McpFailure`, or the signal's reason once it has aborted.
   */
  async get(server: McpConnection, signal: AbortSignal): Promise<{ session: McpSession; isFresh: boolean }> {
    const key = keyOf(server);
    const entry = this.#entriesOf(server).get(key);
    const isThere = entry !== undefined && entry.connection === server.connection && entry.session?.isUsable !== false;
    const { opening, session } = isThere ? entry : this.#open(server);
    return { session: await untilAborted(opening, signal), isFresh: session === undefined };
  }

  /** Forgets a session that the server no longer knows. */
  drop(server: McpConnection, session: McpSession): void {
    const key = keyOf(server);
    const entries = this.#entriesOf(server);
    if (entries.peek(key)?.session === session) entries.delete(key);
    this.#known.delete(server.connection);
  }

  /** Closes all sessions. */
  async close(): Promise<void> {
    const open = [...this.#overNetwork.values(), ...this.#withPrograms.values()];
    const sessions = open.flatMap(({ session }) => session ?? []);
    this.#overNetwork.clear();
    this.#withPrograms.clear();
    await Promise.all(sessions.map(async (session) => session.close()));
  }

  #open(server: McpConnection): Entry {
    const key = keyOf(server);
    const opening = openSession(this.#deps, server, this.#known.get(server.connection));
    const entry: Entry = { connection: server.connection, opening, session: undefined };
    this.#entriesOf(server).set(key, entry);
    void this.#follow(server, entry);
    return entry;
  }

  #entriesOf({ url }: Pick<McpConnection, 'url'>): LRUCache<string, Entry> {
    return programKeyOf(url) === undefined ? this.#overNetwork : this.#withPrograms;
  }

  async #follow({ connection, ...server }: McpConnection, entry: Entry): Promise<void> {
    const key = keyOf(server);
    const entries = this.#entriesOf(server);
    try {
      const session = await entry.opening;
      entry.session = session;
      this.#known.set(connection, session.protocol);
      // It may have been replaced in the meantime.
      if (entries.peek(key) !== entry) session.retire();
    } catch {
      this.#known.delete(connection);
      if (entries.peek(key) === entry) entries.delete(key);
    }
  }
}

// The SDK takes 4 MB of the heap, so it is loaded with the first session.
async function openSession(...opened: Parameters<typeof McpSession.open>): Promise<McpSession> {
  const sessions = await import('./sessions/mcp-session.ts');
  return sessions.McpSession.open(...opened);
}

function createEntries(max: number): LRUCache<string, Entry> {
  const idle = { ttl: MAX_IDLE_MS, updateAgeOnGet: true, ttlAutopurge: true };
  return new LRUCache({ max, ...idle, dispose: retire });
}

function retire({ session }: Entry): void {
  session?.retire();
}

function keyOf({ orgId, id }: Pick<McpConnection, 'orgId' | 'id'>): string {
  return `${orgId}/${id}`;
}
