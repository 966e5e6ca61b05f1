import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { NODE_WITHOUT_PROXY } from '../egress/forwarder.ts';
import type { Connect } from '../egress/gateway.ts';
import type { Sandbox } from '../sandbox.ts';
import type { SandboxProcess } from '../sandbox-process.ts';
import type { FoundCli } from './find-cli.ts';
import type { GivenCli, GivenLine, ToldByDriver } from './given-cli.ts';

/** A run of a command-line program in a sandbox of its own. */
export interface CliRun extends Omit<GivenCli, 'marker' | 'command'> {
  readonly program: FoundCli;
  readonly args: readonly string[];
  /** Connects it to what it may reach. */
  readonly connect: Connect;
}

/** A line of the program itself, or what the driver tells. */
export type CliEvent = { readonly line: string } | ToldByDriver;

/** A program has written more than it may. */
export class CliFlood extends Error {
  override readonly name = 'CliFlood';
}

/** The driver, as a text: the folder of the service is not visible inside. */
const DRIVER = readFileSync(new URL('driver.ts', import.meta.url), 'utf8');

const MAX_LINE = 1024 * 1024;
const MAX_BYTES = 64 * 1024 * 1024;
/** Node, the forwarder, the driver and a program have some 60 threads. */
const MAX_PROCESSES = 256;

/**
 * A command-line program that runs in the sandbox: its home lies in memory, and neither its prompt nor its credentials
 * are on a command line or in an environment that others can read.
 */
export class CliProcess {
  readonly #process: SandboxProcess;
  readonly #marker: string;

  private constructor(process: SandboxProcess, marker: string) {
    this.#process = process;
    this.#marker = marker;
  }

  /** Starts it. Throws `SandboxUnavailable` when it cannot be confined. */
  static async start(
    sandbox: Pick<Sandbox, 'start'>,
    { program, args, connect, ...given }: CliRun,
  ): Promise<CliProcess> {
    const marker = `${randomBytes(16).toString('hex')} `;
    const run = await sandbox.start({
      command: [...NODE_WITHOUT_PROXY, '--input-type=module-typescript', '--eval', DRIVER],
      readable: program.readable,
      network: true,
      connect,
      processes: MAX_PROCESSES,
    });
    const first: GivenCli = { ...given, marker, command: [...program.command, ...args] };
    run.input.write(lineOf(first));
    return new CliProcess(run, marker);
  }

  /** Gives it something to read, or has an address of its sandbox called. */
  give(line: GivenLine): void {
    this.#process.input.write(lineOf(line));
  }

  /** The end of what it has written to its error output. */
  get lastWords(): string {
    return this.#process.lastWords;
  }

  /** Ends it with all its processes. */
  kill(): void {
    this.#process.kill();
  }

  /** Resolves when nothing is left of it. */
  get ended(): Promise<void> {
    return this.#process.ended;
  }

  /** Yields what it writes until it has ended. Throws `CliFlood` for too much; it is killed in any case. */
  async *events(): AsyncGenerator<CliEvent> {
    const decoder = new TextDecoder();
    let open: string[] = [];
    let [openLength, bytes] = [0, 0];
    try {
      for await (const chunk of this.#process.output as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
        open.push(first);
        openLength += first.length;
        for (const next of others) {
          yield this.#eventOf(open.join(''));
          open = [next];
          openLength = next.length;
        }
        if (bytes > MAX_BYTES || openLength > MAX_LINE) throw new CliFlood('wrote far more than a reply can hold');
      }
    } finally {
      this.kill();
    }
  }

  #eventOf(line: string): CliEvent {
    if (line.length > MAX_LINE) throw new CliFlood('wrote far more than a reply can hold');
    if (!line.startsWith(this.#marker)) return { line };
    return JSON.parse(line.slice(this.#marker.length)) as ToldByDriver;
  }
}

// Node's reader of lines takes the two separators for ends of lines, which JSON leaves as they are.
function lineOf(value: GivenCli | GivenLine): string {
  return `${JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`;
}
