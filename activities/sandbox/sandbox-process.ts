import type { Readable, Writable } from 'node:stream';
import { ConfinedChild, type Launcher, type SandboxProgram } from './confined-child.ts';

/** The end of what a program has written to its error output that is kept, in bytes. */
const MAX_LAST_WORDS = 16_384;

/** A program that runs in the sandbox until it is ended, and that the service communicates with. */
export class SandboxProcess {
  readonly #child: ConfinedChild;
  #lastWords = Buffer.alloc(0);
  #isEndExpected = false;
  #exceeded: 'memory' | 'space' | undefined;
  /** Resolves when it has ended, with all its processes, for whatever cause. */
  readonly ended: Promise<void>;

  /** Starts it. One that exceeds its limits is ended. */
  constructor(launcher: Launcher, program: SandboxProgram) {
    const streams = ['pipe', 'pipe', 'pipe'] as const;
    this.#child = new ConfinedChild(launcher, program, {
      streams,
      onExceeded: (what) => {
        this.#exceeded ??= what;
        this.#child.kill();
      },
    });
    const { process } = this.#child;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    const end = (): void => {
      this.#child.stopWatching();
      resolve();
    };
    process.on('error', end).on('close', end);
    for (const stream of [this.input, this.output]) stream.on('error', () => undefined);
    (process.stderr as Readable)
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        // Copied, because a part would keep the whole alive.
        this.#lastWords = Buffer.from(Buffer.concat([this.#lastWords, chunk]).subarray(-MAX_LAST_WORDS));
      });
  }

  /** Its standard input. */
  get input(): Writable {
    return this.#child.process.stdin as Writable;
  }

  /** Its standard output. */
  get output(): Readable {
    return this.#child.process.stdout as Readable;
  }

  /** Whether the program itself was begun: the sandbox may have failed before. */
  get hasBegun(): boolean {
    return this.#child.hasBegun;
  }

  /** Whether it was asked to end; otherwise it ended by itself. */
  get wasKilled(): boolean {
    return this.#isEndExpected;
  }

  /** The limit that it exceeded, which is why it was ended. */
  get exceeded(): 'memory' | 'space' | undefined {
    return this.#exceeded;
  }

  /** The end of what it has written to its error output. */
  get lastWords(): string {
    return this.#lastWords.toString().trim();
  }

  /** Records that it is about to end because it was asked to. */
  expectEnd(): void {
    this.#isEndExpected = true;
  }

  /** Ends it with all its processes. */
  kill(): void {
    this.#isEndExpected = true;
    this.#child.kill();
  }
}
