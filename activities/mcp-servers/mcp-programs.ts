import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { LRUCache } from 'lru-cache';
import type { Payers } from '../../db/core/index.ts';
import { jsonSizeIssue, MAX_JSON_DEPTH } from '../../domain/core/foreign-json.ts';
import { KeyedSemaphore } from '../../domain/core/keyed-semaphore.ts';
import { cut, toStorableText } from '../../domain/core/text.ts';
import { type McpCatalog, programKeyOf } from '../../domain/mcp-servers.ts';
import type { SecretMask } from '../core/secret-mask.ts';
import { type Sandbox, type SandboxProcess, SandboxUnavailable } from '../sandbox/index.ts';
import { McpFailure } from './sessions/mcp-failure.ts';
import { toReadable } from './sessions/readable-message.ts';

/** The dependencies of programs. */
interface ProgramDeps {
  readonly catalog: McpCatalog;
  readonly payers: Pick<Payers, 'of'>;
  readonly sandbox: Pick<Sandbox, 'start'>;
}

/** The server of an organization that a program is started for. */
interface ServerOfProgram {
  readonly orgId: string;
  readonly id: string;
  readonly url: string;
}

/** The number of programs that sessions are kept open with; one that is not in use ends for another. */
export const MAX_OPEN_PROGRAMS = 8;

/**
 * Bounds on what runs at once in this process: of one payer, and in all. One more than sessions are kept open, since
 * the last slot is for a payer that has none; others wait until a session that is not in use has ended for them.
 */
const PLACES = { perKey: 4, total: MAX_OPEN_PROGRAMS + 1, maxWaiting: 8, maxWaitMs: 5_000 };

/** So many that end by themselves within so long are too many. */
const MAX_DEATHS = 3;
const DEATHS_MS = 60_000;
const MAX_REMEMBERED = 1_000;

/** Starts the programs of the operator's catalogue as MCP servers of organizations, in the sandbox. */
export class McpPrograms {
  readonly #deps: ProgramDeps;
  readonly #deaths = new LRUCache<string, number>({ max: MAX_REMEMBERED, ttl: DEATHS_MS, noUpdateTTL: true });
  readonly #places = new KeyedSemaphore({
    ...PLACES,
    createError: () =>
      new McpFailure('rate_limited', 'All places for MCP servers that are started here are taken; try again later'),
  });

  constructor(deps: ProgramDeps) {
    this.#deps = deps;
  }

  /** Starts the program of a server, which finds the secret where its entry says. Throws `McpFailure`. */
  async start(server: ServerOfProgram, secret: string | null): Promise<SandboxProcess> {
    const program = this.#deps.catalog.get(programKeyOf(server.url) ?? '');
    if (program === undefined) throw new McpFailure('denied', 'The operator does not offer this MCP server any more');
    if ((this.#deaths.get(server.id) ?? 0) >= MAX_DEATHS)
      throw new McpFailure('upstream', `The server has ended ${MAX_DEATHS} times within a minute; try again later`);
    const { command, folders: readable, network, secretVariable } = program;
    const given = secretVariable === undefined || secret === null ? {} : { [secretVariable]: secret };
    const environment = { ...program.environment, ...given };
    return this.#inPlace(server, async () => this.#deps.sandbox.start({ command, readable, network, environment }));
  }

  // The place is held until the process has ended.
  async #inPlace({ orgId, id }: ServerOfProgram, start: () => Promise<SandboxProcess>): Promise<SandboxProcess> {
    const { promise, resolve, reject } = Promise.withResolvers<SandboxProcess>();
    const payer = await this.#deps.payers.of(orgId);
    void this.#places
      .hold(payer, async () => {
        const process = await start();
        resolve(process);
        await process.ended;
        if (!process.wasKilled) this.#deaths.set(id, (this.#deaths.get(id) ?? 0) + 1);
      })
      .catch((error: unknown) => reject(inWords(error)));
    return promise;
  }
}

function inWords(error: unknown): unknown {
  if (!(error instanceof SandboxUnavailable)) return error;
  return new McpFailure('denied', `There is no sandbox here to run this MCP server in: ${error.message}`, {
    cause: error,
  });
}

/** What a program may write after a request of ours, in bytes and lines. */
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_LINES = 20_000;

/** How long a program that is told to end may take, in milliseconds. */
const END_MS = 2_000;
const MAX_QUOTED = 500;

interface TransportOptions {
  readonly process: SandboxProcess;
  /** Masks the secret that the program was given in what it says before it ends. */
  readonly mask: SecretMask;
  /** Called when it has ended, or is ended because of what it writes. */
  readonly onBroken: (failure: McpFailure) => void;
}

/**
 * Speaks with a program over its standard input and output, a message a line. The SDK's own starts programs itself, and
 * bounds neither how much they write nor how deep their messages nest.
 */
export class ProgramTransport implements Transport {
  readonly #process: SandboxProcess;
  readonly #mask: SecretMask;
  readonly #onBroken: (failure: McpFailure) => void;
  readonly #decoder = new TextDecoder();
  /** The parts of a line whose end has not come. */
  #open: string[] = [];
  #bytes = 0;
  #lines = 0;
  #isClosed = false;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  constructor({ process, mask, onBroken }: TransportOptions) {
    this.#process = process;
    this.#mask = mask;
    this.#onBroken = onBroken;
  }

  async start(): Promise<void> {
    this.#process.output.on('data', (chunk: Buffer) => this.#take(chunk));
    void this.#process.ended.then(() => this.#end(this.#ended()));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    // Each request may be answered at length; what nobody asked for adds up.
    if ('method' in message && 'id' in message) [this.#bytes, this.#lines] = [0, 0];
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#process.input.write(serializeMessage(message), () => resolve());
    // One that reads nothing does not hold up its caller, who waits for an answer.
    await Promise.race([promise, this.#process.ended]);
  }

  async close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#process.expectEnd();
      this.#process.input.end();
      const timer = setTimeout(() => this.#process.kill(), END_MS);
      void this.#process.ended.then(() => clearTimeout(timer));
      this.onclose?.();
    }
    await this.#process.ended;
  }

  #take(chunk: Buffer): void {
    if (this.#isClosed) return;
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_BYTES) return this.#refuse(`it has more than ${MAX_BYTES} bytes`);
    const [first = '', ...others] = this.#decoder.decode(chunk, { stream: true }).split('\n');
    this.#open.push(first);
    for (const next of others) {
      const line = this.#open.join('');
      this.#open = [next];
      this.#lines += 1;
      if (this.#lines > MAX_LINES) return this.#refuse(`it has more than ${MAX_LINES} lines`);
      const issue = this.#read(line);
      if (issue !== undefined) return this.#refuse(issue);
    }
  }

  /** Returns why the line cannot be taken. */
  #read(line: string): string | undefined {
    // Some programs write other things than messages.
    if (!line.startsWith('{')) return undefined;
    const issue = jsonSizeIssue(line, MAX_JSON_DEPTH);
    if (issue !== undefined) return issue;
    try {
      this.onmessage?.(deserializeMessage(toReadable(line)));
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
    return undefined;
  }

  #refuse(issue: string): void {
    this.#open = [];
    this.#process.kill();
    this.#end(new McpFailure('upstream', `The server's answer is too large: ${issue}`, { mayHaveRun: true }));
  }

  #end(failure: McpFailure): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onBroken(failure);
    this.onclose?.();
  }

  #ended(): McpFailure {
    const { exceeded } = this.#process;
    if (exceeded !== undefined) {
      const message = `The program of the server was ended: it exceeded its ${exceeded} limit`;
      return new McpFailure('upstream', message, { mayHaveRun: true });
    }
    const said = cut(toStorableText(this.#mask.mask(this.#process.lastWords)).slice(-MAX_QUOTED), MAX_QUOTED);
    const words = said === '' ? '' : `; its last words: ${said}`;
    return new McpFailure('upstream', `The program of the server has ended${words}`, {
      mayHaveRun: true,
      isForeign: said !== '',
    });
  }
}
