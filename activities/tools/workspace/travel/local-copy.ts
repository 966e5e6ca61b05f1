import { randomUUID } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  endLease,
  findWorkspaceVersion,
  type Lease,
  renewLease,
  type SmallContent,
  takeLease,
  type WorkspaceRef,
} from '../../../../db/workspaces/contents.ts';
import { readSnapshot, storeSnapshot } from '../../../../db/workspaces/snapshot.ts';
import { KeyedSemaphore } from '../../../../domain/core/keyed-semaphore.ts';
import { retryWhileDatabaseUnavailable } from '../../../core/passing-error.ts';
import { removeTree } from '../../../sandbox/channels.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { foldersOf } from '../workspace-path.ts';
import { forgetUsage } from '../quota.ts';
import { type ContentDeps, ContentWriter, keyOf, type Known, textBytesOf } from './content-writer.ts';
import { type Changes, findChanges, type Touched } from './find-changes.ts';
import { restoreFiles } from './restore-files.ts';

interface CopyOptions {
  readonly ref: WorkspaceRef;
  /** The folder of this copy alone. */
  readonly root: string;
  /** Where earlier versions of the service kept the workspace. */
  readonly formerHome: string;
  /** Called once when it cannot be used any longer. */
  readonly onDrop: () => void;
}

/** Changes that are to be stored. */
interface StoredChanges {
  /** The known entries after them. */
  readonly known: Known;
  readonly changes: Changes;
  /** The contents that are stored with them. */
  readonly added: readonly SmallContent[];
  /** Whether the lease ends with them. */
  readonly isLast: boolean;
}

/** The approximate memory of an entry beside its texts. */
const ENTRY_BYTES = 500;
const RENEWED_EACH_MS = 3_000;
const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 250;
const EVERY_PART: readonly Touched[] = (['files', 'edits', 'marks'] as const).map((part) => ({
  part,
  path: '',
  isTree: true,
}));

/** One at a time for each key. */
const locks = new KeyedSemaphore({
  perKey: 1,
  maxWaiting: 10_000,
  createError: () => new ToolFailure('rate_limited', 'Too many calls wait for the workspace'),
});

/**
 * The copy of a workspace on the disk of this worker. It follows the snapshots that other workers store, and stores one
 * after each change. The calls that change it share a lease, which excludes other workers.
 */
export class LocalCopy {
  readonly ref: WorkspaceRef;
  readonly root: string;
  /** The calls that use it. */
  users = 0;
  usedAt = performance.now();
  readonly #deps: ContentDeps;
  readonly #options: CopyOptions;
  readonly #id = randomUUID();
  #known: Known = new Map();
  #version = 0;
  #writers = 0;
  #lease: Lease | undefined;
  #renewing: NodeJS.Timeout | undefined;
  #hasFormer: boolean | undefined;
  #isDropped = false;

  constructor(deps: ContentDeps, options: CopyOptions) {
    this.#deps = deps;
    this.#options = options;
    this.ref = options.ref;
    this.root = options.root;
  }

  /** About what is remembered of its files and folders, in bytes. */
  get size(): number {
    let bytes = 0;
    for (const entry of this.#known.values()) bytes += ENTRY_BYTES + textBytesOf(entry);
    return bytes;
  }

  get isDropped(): boolean {
    return this.#isDropped;
  }

  /** Brings it up to date, for a call that reads: one row is read when nothing has changed. */
  async refresh(signal: AbortSignal): Promise<void> {
    const { database } = this.#deps;
    const version = await retryWhileDatabaseUnavailable(signal, () => findWorkspaceVersion(database, this.ref));
    if (version === 0 && (await this.#isToAdopt())) await this.change(signal, [], async () => undefined);
    else if (version !== this.#version) await this.#lockFiles(async () => this.#restore(signal));
  }

  /**
   * Runs work that changes what it may have `touched`, and stores that before it returns. When that fails, nothing has
   * changed, and the copy is dropped.
   */
  async change<T>(signal: AbortSignal, touched: readonly Touched[], work: () => Promise<T>): Promise<T> {
    await this.#begin(signal);
    let result: T;
    try {
      result = await work();
    } catch (error) {
      // Changes that it has made nevertheless are there for the next call on any worker.
      await this.#end(touched).catch(() => undefined);
      throw error;
    }
    await this.#end(touched);
    return result;
  }

  /** Ends its use; its folder goes when nobody uses it any longer. */
  async drop(): Promise<void> {
    this.#isDropped = true;
    this.#options.onDrop();
    await this.removeIfUnused();
  }

  /** Removes the folder of a dropped copy that nobody uses. */
  async removeIfUnused(): Promise<void> {
    if (this.#isDropped && this.users === 0) await removeTree(this.root).catch(() => undefined);
  }

  get #home(): string {
    return join(this.root, this.ref.orgId, this.ref.chatId);
  }

  async #begin(signal: AbortSignal): Promise<void> {
    await locks.run(
      `${this.#id}:lease`,
      async () => {
        if (this.#isDropped) throw lost({ isUncertain: false });
        if (this.#lease === undefined) await this.#take(signal);
        this.#writers += 1;
      },
      { signal },
    );
  }

  async #take(signal: AbortSignal): Promise<void> {
    const lease = { ...this.ref, holder: randomUUID() };
    const version = await this.#awaitLease(lease, signal);
    this.#lease = lease;
    this.#renewing = setInterval(() => {
      // The next one comes soon; a lease that was lost is noticed when a snapshot is stored.
      void renewLease(this.#deps.database, lease).catch(() => undefined);
    }, RENEWED_EACH_MS).unref();
    try {
      if (version === 0 && (await this.#isToAdopt())) await this.#lockFiles(async () => this.#adopt(lease, signal));
      else if (version !== this.#version) await this.#lockFiles(async () => this.#restore(signal));
    } catch (error) {
      await this.#leave();
      throw error;
    }
  }

  async #awaitLease(lease: Lease, signal: AbortSignal): Promise<number> {
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      signal.throwIfAborted();
      const version = await retryWhileDatabaseUnavailable(signal, () => takeLease(this.#deps.database, lease));
      if (version !== undefined) return version;
      await sleep(waitMs, undefined, { signal });
    }
  }

  async #end(touched: readonly Touched[]): Promise<void> {
    await locks.run(`${this.#id}:lease`, async () => {
      const isLast = this.#writers === 1;
      try {
        await this.#lockFiles(async () => this.#store(touched, isLast));
      } catch (error) {
        await this.drop();
        throw error;
      } finally {
        this.#writers -= 1;
        if (isLast) await this.#leave();
      }
    });
  }

  async #store(touched: readonly Touched[], isLast: boolean): Promise<void> {
    const lease = this.#lease;
    if (this.#isDropped || lease === undefined) throw lost({ isUncertain: false });
    const contents = new ContentWriter(this.#deps, this.ref, this.#known);
    const changes = await findChanges(this.#home, { known: this.#known, touched, contents });
    const known = applied(this.#known, changes);
    if (changes.put.length > 0 || changes.gone.length > 0)
      await this.#storeChanges(lease, { known, changes, added: contents.left, isLast });
    this.#known = known;
  }

  async #storeChanges(lease: Lease, { known, changes, added, isLast }: StoredChanges): Promise<void> {
    const used = new Set([...known.values()].map(({ content }) => content?.id));
    const left = [...changes.put, ...changes.gone].map((entry) => this.#known.get(keyOf(entry))?.content?.id);
    const unused = [...new Set(left.filter((id) => id !== undefined))].filter((id) => !used.has(id));
    const next = { version: this.#version, changes: { ...changes, unused, added }, isLast };
    const never = new AbortController().signal;
    let tries = 0;
    const version = await retryWhileDatabaseUnavailable(never, () => {
      tries += 1;
      return storeSnapshot(this.#deps.database, lease, next);
    });
    // A repetition also finds what the first try has stored.
    if (version === undefined) throw lost({ isUncertain: tries > 1 });
    this.#version = version;
    if (isLast) this.#forgetLease();
  }

  async #restore(signal: AbortSignal): Promise<void> {
    try {
      await retryWhileDatabaseUnavailable(signal, () => this.#restoreNow());
    } catch (error) {
      // Nobody knows what is in it.
      await this.drop();
      throw error;
    }
  }

  async #restoreNow(): Promise<void> {
    const { version, entries } = await readSnapshot(this.#deps.database, this.ref);
    if (version === this.#version) return;
    const restoration = { orgId: this.ref.orgId, known: this.#known, wanted: entries };
    this.#known = await restoreFiles(this.#deps, this.#home, restoration);
    this.#version = version;
    forgetUsage(this.#home);
  }

  /** Adopts the files that an earlier version of the service has kept in a folder of all workers. */
  async #adopt(lease: Lease, signal: AbortSignal): Promise<void> {
    const former = this.#options.formerHome;
    const contents = new ContentWriter(this.#deps, this.ref, new Map());
    const changes = await findChanges(former, { known: new Map(), touched: EVERY_PART, contents });
    await this.#storeChanges(lease, {
      known: applied(new Map(), changes),
      changes,
      added: contents.left,
      isLast: false,
    });
    this.#version = 0;
    await this.#restore(signal);
    for (const folder of Object.values(foldersOf(former))) await removeTree(folder);
    this.#hasFormer = false;
  }

  async #isToAdopt(): Promise<boolean> {
    this.#hasFormer ??= await lstat(this.#options.formerHome).then(
      () => true,
      () => false,
    );
    return this.#hasFormer;
  }

  // Harmless when the last snapshot has given it back.
  async #leave(): Promise<void> {
    const lease = this.#lease;
    this.#forgetLease();
    if (lease !== undefined) await endLease(this.#deps.database, lease).catch(() => undefined);
  }

  #forgetLease(): void {
    clearInterval(this.#renewing);
    this.#lease = undefined;
  }

  async #lockFiles<T>(work: () => Promise<T>): Promise<T> {
    return locks.run(`${this.#id}:files`, work);
  }
}

function applied(known: Known, { put, gone, same }: Changes): Known {
  for (const entry of same) known.set(keyOf(entry), entry);
  const next = new Map(known);
  for (const entry of gone) next.delete(keyOf(entry));
  for (const entry of put) next.set(keyOf(entry), entry);
  return next;
}

function lost({ isUncertain }: { readonly isUncertain: boolean }): ToolFailure {
  const words = isUncertain
    ? 'The database was away when the changes of the call were stored'
    : 'What the call has changed in the workspace could not be kept, so the files are as they were before';
  return new ToolFailure('upstream', `${words}. Look at them, and repeat the call if need be`, { isUncertain });
}
