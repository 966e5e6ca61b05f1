import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { NODE, NODE_WITHOUT_PROXY } from '../egress/forwarder.ts';
import type { Connect } from '../egress/gateway.ts';
import { isExecutable, stampOf } from '../probe.ts';
import type { SandboxProcess } from '../sandbox-process.ts';
import type { Sandbox } from '../sandbox.ts';
import type { GivenCli, GivenLine, DriverMessage } from './given-cli.ts';

/** A run of a command-line program in a sandbox of its own. */
export interface CliRun extends Omit<GivenCli, 'marker' | 'command'> {
  readonly program: FoundCli;
  readonly args: readonly string[];
  /** Connects it to what it may reach. */
  readonly connect: Connect;
}

/** A line of the program itself, or a message of the driver. */
export type CliEvent = { readonly line: string } | DriverMessage;

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
        if (bytes > MAX_BYTES || openLength > MAX_LINE) throw new CliFlood('wrote far more than a reply can contain');
      }
    } finally {
      this.kill();
    }
  }

  #eventOf(line: string): CliEvent {
    if (line.length > MAX_LINE) throw new CliFlood('wrote far more than a reply can contain');
    if (!line.startsWith(this.#marker)) return { line };
    return JSON.parse(line.slice(this.#marker.length)) as DriverMessage;
  }
}

// Node's reader of lines takes the two separators for ends of lines, which JSON leaves as they are.
function lineOf(value: GivenCli | GivenLine): string {
  return `${JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`;
}

/** A command-line program of this machine, as the sandbox can run it. */
export interface FoundCli {
  /** The command before its arguments. */
  readonly command: readonly string[];
  /** The files that it consists of. */
  readonly readable: readonly string[];
  /** A text that changes when the program does. */
  readonly stamp: string;
}

const SEARCHED = ['/usr/local/bin', '/usr/bin', '/bin'];
const MAX_FIRST_LINE = 200;
const PACKAGES = `${sep}node_modules${sep}`;

/** Finds a program at the given path, or else where programs are installed; throws in words why it cannot be used. */
export function findCli(name: string, given: string | undefined): FoundCli {
  const path = given ?? SEARCHED.map((folder) => `${folder}/${name}`).find(isExecutable);
  if (path === undefined) throw new Error(`the program "${name}" is not installed on the worker`);
  if (!isExecutable(path)) throw new Error(`${path} is not there, or cannot be run`);
  const file = realpathSync(path);
  return {
    // The system of the worker need not have a Node, or one that is new enough.
    command: isForNode(file) ? [NODE, file] : [file],
    readable: file.startsWith('/usr/') ? [] : [filesOf(file)],
    stamp: `${file} ${stampOf(file) ?? ''}`,
  };
}

// A package finds others beside it. Of a standalone program nothing around it is shown: that may be a home.
function filesOf(file: string): string {
  const at = file.indexOf(PACKAGES);
  return at === -1 ? file : file.slice(0, at + PACKAGES.length - 1);
}

function isForNode(file: string): boolean {
  const start = Buffer.alloc(MAX_FIRST_LINE);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, start);
  } finally {
    closeSync(descriptor);
  }
  return /^#!.*\bnode\b/.test(start.toString('latin1').split('\n', 1)[0] ?? '');
}
