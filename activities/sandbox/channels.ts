import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { createConnection, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** The ends of the pipes that a command writes to, and what it reads. */
export interface OpenChannels {
  /** Read by the service. */
  readonly stdout: number;
  readonly stderr: number;
  /** Handed to the command: what it reads, and the other ends. */
  readonly given: readonly [stdin: number, stdout: number, stderr: number];
}

/**
 * The pipes of one command after the other. Node connects a process by sockets, which cannot be opened again under the
 * names `/dev/stdout` and `/dev/stdin` that scripts use; a named pipe can.
 */
export class Channels {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Opens the pipes; the command reads `stdin`, or nothing. */
  open(stdin: string | undefined, owner: number | undefined): OpenChannels {
    const [stdout, stderr] = [join(this.#folder, 'stdout'), join(this.#folder, 'stderr')];
    // The reader first, without waiting for a writer; a writer without a reader would wait.
    const read = [stdout, stderr].map((path) => openSync(path, O_RDONLY | O_NONBLOCK));
    const written = [stdout, stderr].map((path) => openSync(path, O_WRONLY));
    const [ownOut = -1, ownErr = -1, out = -1, err = -1] = [...read, ...written];
    return { stdout: ownOut, stderr: ownErr, given: [this.#input(stdin, owner), out, err] };
  }

  /** Closes what was handed to a command, which has it now. */
  handedOver({ given }: OpenChannels): void {
    for (const descriptor of given) closeSync(descriptor);
  }

  /** Removes them. */
  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #input(stdin: string | undefined, owner: number | undefined): number {
    if (stdin === undefined) return openSync('/dev/null', 'r');
    const path = join(this.#folder, 'stdin');
    writeFileSync(path, stdin, { mode: 0o600 });
    if (owner !== undefined) chownSync(path, owner, owner);
    const descriptor = openSync(path, 'r');
    rmSync(path);
    return descriptor;
  }
}

/** The private folder of a sandbox, which nothing else of the machine reads. */
export class ChannelFolder {
  /** Its path; short, as those of sockets have to be. */
  readonly path = mkdtempSync(join(tmpdir(), FOLDER_PREFIX));
  readonly #life = showLife(this.path);
  readonly #owner: number | undefined;
  readonly #free: Channels[] = [];
  #count = 0;

  /** Makes the folder; the user `owner` runs the commands, unless it is the service's own. */
  constructor(owner: number | undefined) {
    this.#owner = owner;
    // The user passes through it to the workspace that is shown there.
    if (owner !== undefined) chmodSync(this.path, 0o711);
  }

  /** Runs work with pipes that nobody else uses in the meantime. */
  async with<T>(work: (channels: Channels) => Promise<T>): Promise<T> {
    const channels = this.#free.pop() ?? (await this.#make());
    try {
      const result = await work(channels);
      this.#free.push(channels);
      return result;
    } catch (error) {
      // It may have left an end open.
      channels.remove();
      throw error;
    }
  }

  /** Removes it. */
  remove(): void {
    this.#life.close();
    rmSync(this.path, { recursive: true, force: true });
  }

  async #make(): Promise<Channels> {
    const folder = join(this.path, String(this.#count));
    this.#count += 1;
    mkdirSync(folder, { mode: 0o700 });
    const pipes = [join(folder, 'stdout'), join(folder, 'stderr')];
    await run('mkfifo', ['--mode=600', ...pipes]);
    if (this.#owner !== undefined) for (const pipe of pipes) chownSync(pipe, this.#owner, this.#owner);
    return new Channels(folder);
  }
}

/** Collects what a command writes, up to a length; a large output lies outside the heap. */
export class Capture {
  readonly #maxBytes: number;
  readonly #onFull: () => void;
  #bytes = Buffer.alloc(0);
  #length = 0;

  constructor(maxBytes: number, onFull: () => void) {
    this.#maxBytes = maxBytes;
    this.#onFull = onFull;
  }

  /** Adds the next bytes. Those beyond the length are dropped, and `onFull` is called. */
  take(chunk: Buffer): void {
    const taken = Math.min(chunk.length, this.#maxBytes - this.#length);
    this.#makeRoom(this.#length + taken);
    chunk.copy(this.#bytes, this.#length, 0, taken);
    this.#length += taken;
    if (taken < chunk.length) this.#onFull();
  }

  /** Returns everything that was taken. */
  get content(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  // Chunks may be single bytes, so they are copied together rather than kept.
  #makeRoom(length: number): void {
    if (length <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.min(this.#maxBytes, Math.max(length, 2 * this.#bytes.length, 4096)));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** The begin of the names of sandboxes' folders in the temporary folder. */
const FOLDER_PREFIX = 'evt-';

/** The socket on which the owner of a folder can be reached, as long as it lives. */
const SIGN_OF_LIFE = 'alive';

/** Marks a folder as owned. The system answers for a process that hangs, and not for one that died. */
function showLife(folder: string): Server {
  const server = createServer((socket) => socket.destroy());
  // Without it a folder that is left behind stays there, which does no harm.
  server.on('error', () => undefined);
  server.listen(join(folder, SIGN_OF_LIFE));
  return server.unref();
}

/** Removes the folders of workers that were killed, of the same user. */
export async function removeLeftovers(): Promise<void> {
  const folders = readdirSync(tmpdir())
    .filter((name) => name.startsWith(FOLDER_PREFIX))
    .map((name) => join(tmpdir(), name))
    .filter(isOwn);
  for (const folder of folders) if (await isAbandoned(folder)) await removeTree(folder);
}

function isOwn(folder: string): boolean {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === process.getuid?.();
}

// Whatever else the answer is, somebody may be there.
async function isAbandoned(folder: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = createConnection(join(folder, SIGN_OF_LIFE));
  socket.on('connect', () => resolve(false));
  socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  const isLeft = await promise;
  socket.destroy();
  return isLeft;
}

/**
 * Removes a folder in which commands have worked. They may leave folders that are closed to their own user, names that
 * are no text, and more levels than a path can have. Links are removed, not followed.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    // Failures are ignored, because rm reports them again.
    await run('chmod', ['-R', 'u+rwX', '--', path], { env: {} }).catch(() => undefined);
    await run('rm', ['-rf', '--', path], { env: {} });
  }
}
