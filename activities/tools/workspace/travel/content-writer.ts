import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { v7 as uuidv7 } from 'uuid';
import type { TenantDatabase } from '../../../../db/core/database.ts';
import {
  beginContent,
  endContent,
  ROW_STORE,
  type SmallContent,
  type SnapshotContent,
  storeSmallContents,
  type WorkspaceRef,
} from '../../../../db/workspaces/contents.ts';
import type { SnapshotEntry } from '../../../../db/workspaces/snapshot.ts';
import type { FileStores } from '../../../../files/file-stores.ts';
import { retryWhileDatabaseUnavailable } from '../../../core/passing-error.ts';

/** Where the contents of workspaces are kept. */
export interface ContentDeps {
  readonly database: TenantDatabase;
  readonly files: Pick<FileStores, 'ofWorkspaces'>;
}

/** The bytes of a content that lies in its row: many small files are stored, and read again, in one round trip. */
const SMALL_BYTES = 32 * 1024;
/** The bytes and the contents of one statement. */
const BATCH_BYTES = 4 * 1024 ** 2;
const BATCH = 500;
const CHUNK_BYTES = 256 * 1024;
const never = new AbortController().signal;

/** Stores the contents of files that a snapshot is to have. One that the workspace has already is not stored again. */
export class ContentWriter {
  readonly #deps: ContentDeps;
  readonly #ref: WorkspaceRef;
  readonly #byDigest = new Map<string, SnapshotContent>();
  #batch: SmallContent[] = [];
  #batchBytes = 0;

  constructor(deps: ContentDeps, ref: WorkspaceRef, known: Known) {
    this.#deps = deps;
    this.#ref = ref;
    for (const { content } of known.values()) if (content !== null) this.#byDigest.set(content.digest, content);
  }

  /** Those that are left to be stored with the snapshot. */
  get left(): readonly SmallContent[] {
    return this.#batch;
  }

  /** Returns the content of a file; null for an empty one. It is stored, or left to be stored with the snapshot. */
  async keep(file: FileHandle): Promise<SnapshotContent | null> {
    const { size } = await file.stat();
    if (size > SMALL_BYTES) return this.#keepLarge(file);
    const buffer = Buffer.allocUnsafe(SMALL_BYTES + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) return this.#keepSmall(Buffer.from(buffer.subarray(0, length)));
      length += bytesRead;
    }
    return this.#keepLarge(file);
  }

  async #flush(): Promise<void> {
    const batch = this.#batch.splice(0);
    this.#batchBytes = 0;
    const store = async () => storeSmallContents(this.#deps.database, this.#ref, batch);
    await retryWhileDatabaseUnavailable(never, store);
  }

  async #keepSmall(bytes: Buffer): Promise<SnapshotContent | null> {
    if (bytes.length === 0) return null;
    const digest = createHash('sha256').update(bytes).digest('hex');
    const known = this.#byDigest.get(digest);
    if (known !== undefined) return known;
    const content = { id: uuidv7(), digest, bytes: bytes.length, store: ROW_STORE };
    this.#byDigest.set(digest, content);
    this.#batch.push({ id: content.id, digest, bytes });
    this.#batchBytes += bytes.length;
    if (this.#batch.length === BATCH || this.#batchBytes >= BATCH_BYTES) await this.#flush();
    return content;
  }

  // Read twice, so that one that is known is not sent.
  async #keepLarge(file: FileHandle): Promise<SnapshotContent> {
    const hash = createHash('sha256');
    for await (const chunk of chunksOf(file)) hash.update(chunk);
    const known = this.#byDigest.get(hash.digest('hex'));
    if (known !== undefined) return known;
    const { current } = this.#deps.files.ofWorkspaces;
    const begun = { id: uuidv7(), store: current.name };
    await beginContent(this.#deps.database, this.#ref, begun);
    const sent = createHash('sha256');
    let bytes = 0;
    await current.write(
      { orgId: this.#ref.orgId, fileId: begun.id },
      (async function* read() {
        for await (const chunk of chunksOf(file)) {
          sent.update(chunk);
          bytes += chunk.length;
          yield chunk;
        }
      })(),
    );
    // The digest of the sent bytes counts, in case the file was changed since it was read first.
    const content = { ...begun, digest: sent.digest('hex'), bytes };
    await endContent(this.#deps.database, this.#ref.orgId, content);
    this.#byDigest.set(content.digest, content);
    return content;
  }
}

async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0; ;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** An entry of a snapshot as it lies in the local copy. */
export interface KnownEntry extends SnapshotEntry {
  /** Returns whether a file has been changed since; undefined when that is unknown. */
  readonly stamp?: string | undefined;
}

/** The entries of a local copy, by their keys. */
export type Known = Map<string, KnownEntry>;

/** How exact the times of a file system are, in milliseconds. */
const TICK_MS = 20;

/** Returns the key of an entry. */
export function keyOf({ part, path }: Pick<SnapshotEntry, 'part' | 'path'>): string {
  return `${part}:${path}`;
}

/**
 * Returns the fingerprint of this state of a file. Commands cannot set the time of a change. A file that was
 * changed just now may be changed once more at the same time: it has none.
 */
export function stampOf({ ino, ctimeMs, size }: Stats): string | undefined {
  return ctimeMs < Date.now() - TICK_MS ? `${ino}:${ctimeMs}:${size}` : undefined;
}

/** Returns the bytes of an entry's path, and of its target if it is a link. */
export function textBytesOf({ path, target }: SnapshotEntry): number {
  return Buffer.byteLength(path) + Buffer.byteLength(target ?? '');
}

/** Returns whether two entries of a path are the same. */
export function isSame(one: SnapshotEntry | undefined, other: SnapshotEntry): boolean {
  return (
    one?.type === other.type &&
    one.mode === other.mode &&
    one.target === other.target &&
    one.content?.digest === other.content?.digest &&
    (one.type === 'folder' || one.modifiedAt.getTime() === other.modifiedAt.getTime())
  );
}
