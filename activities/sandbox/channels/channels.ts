import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FOLDER_PREFIX, showLife } from './leftovers.ts';

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

  /** Works with pipes that nobody else uses meanwhile. */
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
