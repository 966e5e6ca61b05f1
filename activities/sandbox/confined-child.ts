import { type ChildProcess, execFile, spawn, type StdioOptions } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { setPriority } from 'node:os';
import type { Writable } from 'node:stream';
import { Capture } from './channels.ts';
import { forwarded } from './egress/forwarder.ts';
import type { Answer, Connect } from './egress/gateway.ts';
import type { Identity } from './identity.ts';
import {
  ARGUMENTS_FD,
  limitedCommand,
  profileArguments,
  type SandboxLimits,
  type SandboxView,
  STATUS_FD,
} from './profile.ts';

/** A program for the sandbox. */
export interface SandboxProgram extends SandboxView {
  /** A program and its arguments, as they are found inside. */
  readonly command: readonly string[];
  /** Whether it reaches public addresses, through a gateway of its own. */
  readonly network?: boolean | undefined;
  /** Answers the requests that it sends over http, wherever to; it reaches nothing else then. */
  readonly answer?: Answer | undefined;
  /** Connects it, overriding what the operator allows commands. */
  readonly connect?: Connect | undefined;
  /** The most processes and threads at once, overriding the operator's limit. */
  readonly processes?: number | undefined;
  /** How large the folder may become that it writes. */
  readonly space?: Space | undefined;
}

/** The dependencies of a launch. */
export interface Launcher {
  readonly bwrap: string;
  readonly identity: Identity;
  readonly limits: SandboxLimits;
  /** The file of the seccomp program for it. */
  readonly filter: string;
  /** The socket of the program's gateway; it has no network unless given. */
  readonly gateway?: string | undefined;
}

/** The reports of bubblewrap: the first process inside, and how it ended. */
interface StatusRecord {
  readonly 'child-pid'?: number;
  readonly 'exit-code'?: number;
}

/** Its standard input, output and error output: descriptors, or pipes to the service. */
type Streams = readonly [stdin: number | 'pipe', stdout: number | 'pipe', stderr: number | 'pipe'];

const MAX_STATUS = 10_000;

/** As low as commands of a person who waits for nothing. */
const LOW_PRIORITY = 10;

/** A program that was started in the sandbox: what is known of it, and how it is ended. */
export class ConfinedChild {
  readonly process: ChildProcess;
  readonly #status = new Capture(MAX_STATUS, () => undefined);
  #stopWatching: (() => void)[] | undefined;

  /** Starts it. `onExceeded` is called when it exceeds its memory or space; it continues until it is killed. */
  constructor(
    launcher: Launcher,
    program: SandboxProgram,
    { streams, onExceeded }: { streams: Streams; onExceeded: (what: 'memory' | 'space') => void },
  ) {
    this.process = start(launcher, program, streams);
    (this.process.stdio[STATUS_FD] as Socket)
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        this.#status.take(chunk);
        this.#watch(launcher.limits, program, onExceeded);
      });
  }

  /** Whether the program itself was begun: bubblewrap may have failed before. */
  get hasBegun(): boolean {
    return this.#record()['child-pid'] !== undefined;
  }

  /** Its exit code; undefined before it has ended by itself. That of bubblewrap does not say whose failure it was. */
  get exitCode(): number | undefined {
    return this.#record()['exit-code'];
  }

  /** Ends it with all its processes, whatever they have done to stay. */
  kill(): void {
    const { 'child-pid': pid } = this.#record();
    if (pid !== undefined && this.process.exitCode === null && this.process.signalCode === null) killIfThere(pid);
    this.process.kill('SIGKILL');
  }

  /** Stops checking its memory and space. */
  stopWatching(): void {
    for (const stop of this.#stopWatching ?? []) stop();
    this.#stopWatching = [];
  }

  // The first line of the status names the first process inside.
  #watch(
    { memory }: SandboxLimits,
    { folder, space }: SandboxProgram,
    onExceeded: (what: 'memory' | 'space') => void,
  ): void {
    const { 'child-pid': pid } = this.#record();
    if (pid === undefined || this.#stopWatching !== undefined || this.process.exitCode !== null) return;
    this.#stopWatching = [watchMemory(pid, memory, () => onExceeded('memory'))];
    if (folder?.access === 'write' && space !== undefined)
      this.#stopWatching.push(watchSpace(folder.path, space, () => onExceeded('space')));
  }

  #record(): StatusRecord {
    const lines = this.#status.content.toString().split('\n').filter(Boolean);
    try {
      return Object.assign({}, ...lines.map((line) => JSON.parse(line) as unknown)) as StatusRecord;
    } catch {
      // A line is not whole yet.
      return {};
    }
  }
}

function start({ bwrap, identity, limits, filter, gateway }: Launcher, program: SandboxProgram, streams: Streams) {
  const { folder, command, library, processes = limits.processes } = program;
  const node = gateway === undefined ? undefined : process.execPath;
  const seen = folder && { path: identity.pathOf(folder.path, 'folder'), access: folder.access };
  const shownLibrary = library && identity.pathOf(library, 'library');
  const egress = gateway && { socket: gateway, node: identity.pathOf(process.execPath, 'node') };
  const bounds = { ...limits, processes };
  const run = limitedCommand(gateway === undefined ? command : forwarded(command), bounds);
  const args = ['--args', String(ARGUMENTS_FD), '--', ...run];
  const { program: file, args: given, ...user } = identity.start(bwrap, args, { folder: folder?.path, node, library });
  const seccomp = openSync(filter, 'r');
  try {
    // An empty environment: that of the first process is readable inside, whatever the program is given.
    const stdio: StdioOptions = [...streams, 'pipe', 'pipe', seccomp];
    const child = spawn(file, given, { ...user, env: {}, cwd: '/', stdio });
    // Not on the command line, which is readable, too.
    const view = { ...program, folder: seen, library: shownLibrary, egress: egress || undefined };
    const profile = profileArguments(view, limits);
    const pipe = child.stdio[ARGUMENTS_FD] as Writable;
    pipe.on('error', () => undefined).end(profile.map((argument) => `${argument}\0`).join(''));
    if (child.pid !== undefined) lower(child.pid);
    return child;
  } finally {
    closeSync(seccomp);
  }
}

function lower(pid: number): void {
  try {
    setPriority(pid, LOW_PRIORITY);
  } catch {
    // It has just ended.
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

const MEMORY_INTERVAL_MS = 200;
const KB = 1024;

/** How much memory the machine keeps free, in bytes, and how much a command must use to count as the cause. */
const MEMORY_FLOOR = 128 * KB * KB;

const BLAMED_FROM = 64 * KB * KB;

/**
 * Calls `onExceeded` once the processes below a process use more than so many bytes; returns how to stop the checks.
 */
function watchMemory(pid: number, maxBytes: number, onExceeded: () => void): () => void {
  const timer = setInterval(() => {
    const bytes = memoryBelow(pid);
    if (bytes > maxBytes || (bytes > BLAMED_FROM && freeMemory() < MEMORY_FLOOR)) onExceeded();
  }, MEMORY_INTERVAL_MS);
  return () => clearInterval(timer);
}

/** Returns the memory of a process and of all below it, in bytes, without what they share as files. */
function memoryBelow(pid: number): number {
  let bytes = 0;
  // An orphaned process of a sandbox becomes a child of its first one.
  const open = [String(pid)];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const folder = `/proc/${next}`;
    const status = readIfThere(`${folder}/status`);
    for (const [, kilobytes] of status.matchAll(/^Rss(?:Anon|Shmem):\s*(\d+) kB$/gm)) bytes += Number(kilobytes) * KB;
    for (const thread of listIfThere(`${folder}/task`))
      open.push(...readIfThere(`${folder}/task/${thread}/children`).split(' ').filter(Boolean));
  }
  return bytes;
}

function freeMemory(): number {
  const kilobytes = /^MemAvailable:\s*(\d+) kB$/m.exec(readIfThere('/proc/meminfo'))?.[1];
  return kilobytes === undefined ? Number.POSITIVE_INFINITY : Number(kilobytes) * KB;
}

// A process may end at any moment.
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function listIfThere(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

const SPACE_INTERVAL_MS = 1_000;

/** How much of the disk stays free, in bytes. */
const DISK_FLOOR = 256 * 1024 * 1024;

const MAX_CHECK_MS = 10_000;

/** The size limit of a folder: bytes on the disk, and names of files and folders. */
interface Space {
  readonly bytes: number;
  readonly names: number;
}

/** Calls `onExceeded` once a folder exceeds its limit; returns how to stop the checks. */
function watchSpace(folder: string, space: Space, onExceeded: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const checkLater = (): void => {
    timer = setTimeout(() => void check(), SPACE_INTERVAL_MS);
  };
  const check = async (): Promise<void> => {
    const isExceeded = await exceeds(folder, space).catch(() => true);
    if (isStopped) return;
    if (isExceeded) onExceeded();
    else checkLater();
  };
  checkLater();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** Returns whether a folder exceeds its limit. What cannot be read counts as too much. */
async function exceeds(folder: string, { bytes, names }: Space): Promise<boolean> {
  const [size, count, disk] = await Promise.all([
    totalOf(['-sB1', '--', folder]),
    totalOf(['-s', '--inodes', '--', folder]),
    statfs(folder),
  ]);
  return size > bytes || count > names || disk.bavail * disk.bsize < DISK_FLOOR;
}

async function totalOf(options: readonly string[]): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const limits = { env: { LC_ALL: 'C' }, timeout: MAX_CHECK_MS };
  execFile('du', options, limits, (_error, stdout, stderr) => {
    // Files that vanish in the meantime are no fault.
    const total = /^\d+/.exec(stdout)?.[0];
    resolve(total === undefined || stderr.includes('Permission denied') ? Number.POSITIVE_INFINITY : Number(total));
  });
  return promise;
}
