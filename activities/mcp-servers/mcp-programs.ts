import { LRUCache } from 'lru-cache';
import type { Payers } from '../../db/core/sql-pool.ts';
import { KeyedSemaphore } from '../../domain/core/keyed-semaphore.ts';
import { type McpCatalog, programKeyOf } from '../../domain/mcp-servers.ts';
import { type Sandbox, SandboxUnavailable } from '../sandbox/sandbox.ts';
import type { SandboxProcess } from '../sandbox/sandbox-process.ts';
import { McpFailure } from './mcp-failure.ts';

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
const SLOTS = { perKey: 4, total: MAX_OPEN_PROGRAMS + 1, maxWaiting: 8, maxWaitMs: 5_000 };

/** How often a program may exit by itself within `DEATHS_MS`. */
const MAX_DEATHS = 3;
const DEATHS_MS = 60_000;
const MAX_REMEMBERED = 1_000;

/** Starts the programs of the operator's catalogue as MCP servers of organizations, in the sandbox. */
export class McpPrograms {
  readonly #deps: ProgramDeps;
  readonly #deaths = new LRUCache<string, number>({ max: MAX_REMEMBERED, ttl: DEATHS_MS, noUpdateTTL: true });
  readonly #slots = new KeyedSemaphore({
    ...SLOTS,
    createError: () =>
      new McpFailure('rate_limited', 'All slots for MCP servers that are started here are taken; try again later'),
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
    return this.#inSlot(server, async () => this.#deps.sandbox.start({ command, readable, network, environment }));
  }

  // The slot is occupied until the process has ended.
  async #inSlot({ orgId, id }: ServerOfProgram, start: () => Promise<SandboxProcess>): Promise<SandboxProcess> {
    const { promise, resolve, reject } = Promise.withResolvers<SandboxProcess>();
    const payer = await this.#deps.payers.of(orgId);
    void this.#slots
      .run(payer, async () => {
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
