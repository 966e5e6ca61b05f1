import { randomUUID } from 'node:crypto';
import { mkdir, readdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkspaceRef } from '../../../../db/workspaces/contents.ts';
import { settleAll } from '../../../../domain/core/promises.ts';
import { removeTree } from '../../../sandbox/channels.ts';
import type { ContentDeps } from './content-writer.ts';
import { LocalCopy } from './local-copy.ts';

interface CopiesOptions extends ContentDeps {
  /** The folder of all workspaces; other workers may have the same one. */
  readonly root: string;
}

/** Where the copies of all workers are; no organization has such an id. */
const COPIES = 'copies';
const IDLE_MS = 30 * 60_000;
/** A worker that has not touched its folder for so long is gone. */
const ABANDONED_MS = 3_600_000;
/** How much is remembered of the files and folders of all copies, unless they are in use, in bytes. */
const MAX_BYTES = 100_000_000;

/**
 * The local copies of workspaces. They lie in a folder of this process alone, which a later one does not take over:
 * what counts is in the snapshots, and nobody has to find out what was going on when a process ended.
 */
export class LocalCopies {
  readonly #options: CopiesOptions;
  readonly #all: string;
  readonly #own: string;
  readonly #copies = new Map<string, LocalCopy>();
  #made = 0;

  constructor(options: CopiesOptions) {
    this.#options = options;
    this.#all = join(options.root, COPIES);
    this.#own = join(this.#all, randomUUID());
  }

  /** Begins to use the copy of a workspace; `leave` must follow. */
  enter(ref: WorkspaceRef): LocalCopy {
    const copy = this.#copies.get(ref.chatId) ?? this.#make(ref);
    // The one that was used last is the last of the map.
    this.#copies.delete(ref.chatId);
    this.#copies.set(ref.chatId, copy);
    copy.users += 1;
    copy.usedAt = performance.now();
    return copy;
  }

  /** Ends the use of a copy. */
  async leave(copy: LocalCopy): Promise<void> {
    copy.users -= 1;
    copy.usedAt = performance.now();
    await copy.removeIfUnused();
  }

  /**
   * Removes copies that were not used for half an hour and, while there are very many files, those that were not used
   * for longest; and what workers that are gone have left. To be called once a minute.
   */
  async tidy(idleMs = IDLE_MS): Promise<void> {
    let bytes = [...this.#copies.values()].reduce((sum, { size }) => sum + size, 0);
    for (const copy of this.#copies.values()) {
      if (copy.users > 0 || (performance.now() - copy.usedAt < idleMs && bytes <= MAX_BYTES)) continue;
      bytes -= copy.size;
      await copy.drop();
    }
    await this.#touch(new Date());
    await this.#removeAbandoned();
  }

  /** Removes the copies of an organization, also those of other workers that have the same folder. */
  async removeOrg(orgId: string): Promise<void> {
    for (const copy of this.#copies.values()) if (copy.ref.orgId === orgId) await copy.drop();
    const workers = await namesIn(this.#all);
    const copies = await settleAll(
      workers.map(async (worker) =>
        (await namesIn(join(this.#all, worker))).map((name) => join(this.#all, worker, name, orgId)),
      ),
    );
    await settleAll(copies.flat().map(async (path) => removeTree(path)));
  }

  /** Marks the copies of this process as abandoned: another one removes them. */
  async close(): Promise<void> {
    await this.#touch(new Date(0));
  }

  #make(ref: WorkspaceRef): LocalCopy {
    this.#made += 1;
    const copy = new LocalCopy(this.#options, {
      ref,
      root: join(this.#own, String(this.#made)),
      formerHome: join(this.#options.root, ref.orgId, ref.chatId),
      onDrop: () => {
        if (this.#copies.get(ref.chatId) === copy) this.#copies.delete(ref.chatId);
      },
    });
    return copy;
  }

  async #touch(at: Date): Promise<void> {
    await mkdir(this.#own, { recursive: true, mode: 0o700 });
    await utimes(this.#own, at, at);
  }

  async #removeAbandoned(): Promise<void> {
    for (const name of await namesIn(this.#all)) {
      const path = join(this.#all, name);
      const touched = await stat(path).catch(() => undefined);
      if (touched !== undefined && Date.now() - touched.mtimeMs > ABANDONED_MS) await removeTree(path);
    }
  }
}

async function namesIn(path: string): Promise<string[]> {
  return readdir(path).catch(() => []);
}
