import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { setPriority } from 'node:os';
import type { Writable } from 'node:stream';
import { Capture } from './capture.ts';
import type { Channels, OpenChannels } from './channels.ts';
import { forwarded } from './egress/forwarder.ts';
import type { Identity } from './identity.ts';
import {
  ARGUMENTS_FD,
  limitedCommand,
  profileArguments,
  type SandboxLimits,
  type SandboxView,
  STATUS_FD,
} from './profile.ts';
import { watchMemory } from './watch/memory.ts';
import { type Space, watchSpace } from './watch/space.ts';

/** Why a command was ended before it had finished. */
export type KillReason = 'time' | 'memory' | 'output' | 'space' | 'system';

/** A command for the sandbox. */
export interface SandboxCommand extends SandboxView {
  /** A program and its arguments, as they are found inside. */
  readonly command: readonly string[];
  /** What it reads; nothing unless given. */
  readonly stdin?: string | undefined;
  readonly timeoutMs: number;
  /** Whether it reaches public addresses, through a gateway of its own. */
  readonly network?: boolean | undefined;
  /** How much the folder that it writes may hold. */
  readonly space?: Space | undefined;
}

/** How a command ended. */
export interface SandboxEnding {
  /** Null when it was ended. */
  readonly exitCode: number | null;
  readonly killedFor?: KillReason;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly durationMs: number;
}

/** The sandbox itself failed: the command has not run to its end, or not at all. */
export class SandboxFault extends Error {
  override readonly name = 'SandboxFault';
}

/** What a launch needs beside the command. */
export interface Launcher {
  readonly bwrap: string;
  readonly identity: Identity;
  readonly limits: SandboxLimits;
  /** The file of the seccomp program. */
  readonly filter: string;
  /** The socket of the command's gateway; it has no network unless given. */
  readonly gateway?: string | undefined;
}

/** What bubblewrap tells: the first process inside, and how the command ended. */
interface StatusRecord {
  readonly 'child-pid'?: number;
  readonly 'exit-code'?: number;
}

/** The longest output of a command, of each of its two streams, in bytes. */
const MAX_OUTPUT = 10_000_000;
const MAX_STATUS = 10_000;
/** As low as commands of a person who waits for nothing. */
const LOW_PRIORITY = 10;
/** How long the streams of a command that has ended may take to end, in milliseconds. */
const DRAIN_MS = 1_000;

/**
 * Runs a command in the sandbox. Throws the signal's reason when it aborts, and a `SandboxFault` when the command was
 * not confined, in which case it did not run.
 */
export async function launch(
  launcher: Launcher,
  command: SandboxCommand,
  { channels, signal }: { readonly channels: Channels; readonly signal: AbortSignal },
): Promise<SandboxEnding> {
  signal.throwIfAborted();
  const open = channels.open(command.stdin, launcher.identity.uid);
  return new Launch(launcher, command, { child: startWith(launcher, command, { channels, open }), open }).end(signal);
}

// The service must not hold the ends that it hands over: the pipes end with the last who holds them.
function startWith(
  launcher: Launcher,
  command: SandboxCommand,
  { channels, open }: { readonly channels: Channels; readonly open: OpenChannels },
): ChildProcess {
  try {
    return start(launcher, command, open);
  } finally {
    channels.handedOver(open);
  }
}

function start({ bwrap, identity, limits, filter, gateway }: Launcher, command: SandboxCommand, open: OpenChannels) {
  const { folder } = command;
  const node = gateway === undefined ? undefined : process.execPath;
  const seen = folder && { path: identity.pathOf(folder.path, 'folder'), access: folder.access };
  const egress = gateway && { socket: gateway, node: identity.pathOf(process.execPath, 'node') };
  const run = limitedCommand(gateway === undefined ? command.command : forwarded(command.command), limits);
  const args = ['--args', String(ARGUMENTS_FD), '--', ...run];
  const { program, args: given, ...user } = identity.start(bwrap, args, { folder: folder?.path, node });
  const seccomp = openSync(filter, 'r');
  try {
    // An empty environment: that of the first process is readable inside, whatever the command is given.
    const child = spawn(program, given, {
      ...user,
      env: {},
      cwd: '/',
      stdio: [...open.given, 'pipe', 'pipe', seccomp],
    });
    // Not on the command line, which is readable, too.
    const profile = profileArguments({ ...command, folder: seen, egress: egress || undefined }, limits);
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

/** One command that runs. */
class Launch {
  readonly #launcher: Launcher;
  readonly #command: SandboxCommand;
  readonly #child: ChildProcess;
  readonly #begin = performance.now();
  readonly #status = new Capture(MAX_STATUS, () => undefined);
  readonly #stdout = new Capture(MAX_OUTPUT, () => this.#kill('output'));
  readonly #stderr = new Capture(MAX_OUTPUT, () => this.#kill('output'));
  readonly #streams: readonly Socket[];
  #killedFor: KillReason | undefined;
  #stopWatching: (() => void)[] = [];

  constructor(
    launcher: Launcher,
    command: SandboxCommand,
    { child, open }: { readonly child: ChildProcess; readonly open: OpenChannels },
  ) {
    this.#launcher = launcher;
    this.#command = command;
    this.#child = child;
    this.#streams = [this.#read(open.stdout, this.#stdout), this.#read(open.stderr, this.#stderr)];
    (child.stdio[STATUS_FD] as Socket)
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        this.#status.take(chunk);
        this.#watch();
      });
  }

  async end(signal: AbortSignal): Promise<SandboxEnding> {
    const ended = once(this.#child, 'close');
    const drained = Promise.allSettled(this.#streams.map(async (stream) => once(stream, 'close')));
    const onAbort = () => this.#kill('time');
    signal.addEventListener('abort', onAbort, { once: true });
    const timer = setTimeout(onAbort, this.#command.timeoutMs);
    try {
      await ended;
      const giveUp = setTimeout(() => this.#streams.forEach((stream) => stream.destroy()), DRAIN_MS);
      await drained;
      clearTimeout(giveUp);
    } catch (error) {
      for (const stream of this.#streams) stream.destroy();
      const words = error instanceof Error ? error.message : String(error);
      throw new SandboxFault(`it could not be started: ${words}`, { cause: error });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      for (const stop of this.#stopWatching) stop();
    }
    signal.throwIfAborted();
    return this.#ending();
  }

  #ending(): SandboxEnding {
    const { 'exit-code': exitCode } = this.#record();
    const told = { stdout: this.#stdout.content, stderr: this.#stderr.content, durationMs: this.#durationMs() };
    if (this.#killedFor !== undefined) return { exitCode: null, killedFor: this.#killedFor, ...told };
    // The exit code of bubblewrap itself does not tell its own failure from that of the command.
    if (exitCode !== undefined) return { exitCode, ...told };
    if (this.#child.signalCode === 'SIGKILL') return { exitCode: null, killedFor: 'system', ...told };
    throw new SandboxFault(told.stderr.toString().trim().slice(-500) || 'the command did not begin');
  }

  #durationMs(): number {
    return Math.round(performance.now() - this.#begin);
  }

  #read(descriptor: number, capture: Capture): Socket {
    const stream = new Socket({ fd: descriptor, readable: true, writable: false });
    return stream.on('error', () => undefined).on('data', (chunk: Buffer) => capture.take(chunk));
  }

  // The first line of the status names the first process inside.
  #watch(): void {
    const { 'child-pid': pid } = this.#record();
    if (pid === undefined || this.#stopWatching.length > 0 || this.#child.exitCode !== null) return;
    const { folder, space } = this.#command;
    this.#stopWatching = [watchMemory(pid, this.#launcher.limits.memory, () => this.#kill('memory'))];
    if (folder?.access === 'write' && space !== undefined)
      this.#stopWatching.push(watchSpace(folder.path, space, () => this.#kill('space')));
  }

  // All processes inside end with the first one, whatever they have done to stay.
  #kill(reason: KillReason): void {
    this.#killedFor ??= reason;
    const { 'child-pid': pid } = this.#record();
    if (pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null) killIfThere(pid);
    this.#child.kill('SIGKILL');
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

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
