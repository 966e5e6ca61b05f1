import { once } from 'node:events';
import { Socket } from 'node:net';
import { Capture, type Channels, type OpenChannels } from './channels.ts';
import { ConfinedChild, type Launcher, type SandboxProgram } from './confined-child.ts';

/** Why a command was ended before it had finished. */
export type KillReason = 'time' | 'memory' | 'output' | 'space' | 'system';

/** A command for the sandbox. */
export interface SandboxCommand extends SandboxProgram {
  /** Its input; none unless given. */
  readonly stdin?: string | undefined;
  readonly timeoutMs: number;
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

/** The longest output of a command, of each of its two streams, in bytes. */
const MAX_OUTPUT = 10_000_000;
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
  try {
    return new Launch(launcher, command, open).end(signal);
  } finally {
    // The service must close the ends that it hands over: a pipe ends when its last holder closes it.
    channels.handedOver(open);
  }
}

/** One command that runs. */
class Launch {
  readonly #command: SandboxCommand;
  readonly #child: ConfinedChild;
  readonly #begin = performance.now();
  readonly #stdout = new Capture(MAX_OUTPUT, () => this.#kill('output'));
  readonly #stderr = new Capture(MAX_OUTPUT, () => this.#kill('output'));
  readonly #streams: readonly Socket[];
  #killedFor: KillReason | undefined;

  constructor(launcher: Launcher, command: SandboxCommand, open: OpenChannels) {
    this.#command = command;
    this.#child = new ConfinedChild(launcher, command, {
      streams: open.given,
      onExceeded: (what) => this.#kill(what),
    });
    this.#streams = [this.#read(open.stdout, this.#stdout), this.#read(open.stderr, this.#stderr)];
  }

  async end(signal: AbortSignal): Promise<SandboxEnding> {
    const ended = once(this.#child.process, 'close');
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
      this.#child.stopWatching();
    }
    signal.throwIfAborted();
    return this.#ending();
  }

  #ending(): SandboxEnding {
    const { exitCode } = this.#child;
    const output = { stdout: this.#stdout.content, stderr: this.#stderr.content, durationMs: this.#durationMs() };
    if (this.#killedFor !== undefined) return { exitCode: null, killedFor: this.#killedFor, ...output };
    // The exit code of bubblewrap itself does not distinguish its own failure from that of the command.
    if (exitCode !== undefined) return { exitCode, ...output };
    if (this.#child.process.signalCode === 'SIGKILL') return { exitCode: null, killedFor: 'system', ...output };
    throw new SandboxFault(output.stderr.toString().trim().slice(-500) || 'the command did not begin');
  }

  #durationMs(): number {
    return Math.round(performance.now() - this.#begin);
  }

  #read(descriptor: number, capture: Capture): Socket {
    const stream = new Socket({ fd: descriptor, readable: true, writable: false });
    return stream.on('error', () => undefined).on('data', (chunk: Buffer) => capture.take(chunk));
  }

  #kill(reason: KillReason): void {
    this.#killedFor ??= reason;
    this.#child.kill();
  }
}
