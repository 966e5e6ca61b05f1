import {
  type CallToolResult,
  Client,
  type jsonSchemaValidator,
  type StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { UnreadableSecret } from '../../../db/core/secret-box.ts';
import type { McpConnection } from '../../../db/mcp-servers/for-turn.ts';
import { inexactNumberIn, withPlainNumbers } from '../../../domain/core/exact-json.ts';
import { programKeyOf } from '../../../domain/mcp-servers.ts';
import { Exchange } from './session-fetch.ts';
import { restoreStructured } from './readable-message.ts';
import { mcpFailureOf } from './failure-of.ts';
import { McpFailure } from '../mcp-failure.ts';
import { untilAborted } from '../../core/cancellation.ts';
import { openWire, type SessionDeps, type WireKind } from './wire.ts';

/** A call of a tool. */
export interface SessionCall {
  /** The name of the tool at the server, and the schema of its arguments. */
  readonly tool: { readonly name: string; readonly inputSchema: Readonly<Record<string, unknown>> };
  readonly args: Readonly<Record<string, unknown>>;
  /** The same each time the call is repeated; absent for one that the server does not promise to recognise. */
  readonly key: string | undefined;
  /** How long nothing may come. */
  readonly timeoutMs: number;
  /** How long it may take in all, while the server reports progress. */
  readonly maxTotalMs: number;
  readonly signal: AbortSignal;
}

/** One page of a server's list of tools, not checked. */
interface ToolPage {
  readonly tools: readonly unknown[];
  readonly nextCursor?: string | undefined;
}

/** The protocol of a server, as far as it was found out. */
export interface KnownProtocol {
  readonly transport: WireKind;
  /** Whether it speaks the protocol before its version of 2026, so that it need not be asked. */
  readonly isLegacy: boolean;
}

const CONNECT_MS = 30_000;
const CLOSE_MS = 2_000;
/** Bytes over the one stream of the older transport, after which another session is opened for the next call. */
const MAX_STREAM_BYTES = 1024 * 1024;
const pageSchema = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().max(10_000).optional() });

// A pattern in a server's schema of its results could keep the process busy for as long as it likes.
const TAKES_ALL: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** An open session with a server. */
export class McpSession {
  readonly #client: Client;
  readonly #http: StreamableHTTPClientTransport | undefined;
  readonly #exchanges = new Set<Exchange>();
  readonly protocol: KnownProtocol;
  #streamBytes = 0;
  #broken: McpFailure | undefined;
  #isRetired = false;
  #closing: Promise<void> | undefined;

  private constructor(client: Client, http: StreamableHTTPClientTransport | undefined, onOpen: Opening) {
    this.#client = client;
    this.#http = http;
    this.protocol = { transport: onOpen.kind, isLegacy: client.getProtocolEra() !== 'modern' };
    onOpen.session = this;
    this.#streamBytes = onOpen.bytes;
    this.#broken = onOpen.broken;
  }

  /** Connects to a server; throws `McpFailure` when that is impossible. */
  static async open(deps: SessionDeps, server: McpConnection, known: KnownProtocol | undefined): Promise<McpSession> {
    if (programKeyOf(server.url) !== undefined) return McpSession.#connect(deps, server, 'program', known);
    const { transport = 'auto' } = server.config;
    if (transport !== 'auto') return McpSession.#connect(deps, server, transport, known);
    try {
      return await McpSession.#connect(deps, server, known?.transport ?? 'http', known);
    } catch (error) {
      if (known?.transport === 'sse' || !(error instanceof McpFailure && error.isOtherTransport)) throw error;
      return McpSession.#connect(deps, server, 'sse', undefined).catch(() => {
        throw error;
      });
    }
  }

  static async #connect(
    deps: SessionDeps,
    server: McpConnection,
    kind: WireKind,
    known: KnownProtocol | undefined,
  ): Promise<McpSession> {
    const opening = new Opening(kind);
    const { onBroken, onBytes } = opening;
    const { transport, http } = await openWire(deps, server, { kind, onBroken, onBytes }).catch((error: unknown) => {
      throw error instanceof UnreadableSecret ? mcpFailureOf(error) : error;
    });
    const client = new Client(
      { name: 'everturn', version: '1' },
      {
        capabilities: {},
        jsonSchemaValidator: TAKES_ALL,
        inputRequired: { autoFulfill: false },
        versionNegotiation: { mode: kind === 'http' ? 'auto' : 'legacy' },
      },
    );
    const isLegacy = known?.isLegacy === true && kind === 'http';
    const exchange = new Exchange({ isOneRequest: false });
    opening.exchange = exchange;
    const deadline = AbortSignal.timeout(CONNECT_MS);
    try {
      await exchange.run(async () =>
        untilAborted(
          client.connect(transport, {
            timeout: CONNECT_MS,
            signal: deadline,
            ...(isLegacy && { prior: { kind: 'legacy' } }),
          }),
          deadline,
        ),
      );
      return new McpSession(client, http, opening);
    } catch (error) {
      await client.close().catch(() => undefined);
      if (deadline.aborted)
        throw new McpFailure('timeout', `The server did not answer within ${CONNECT_MS / 1000} seconds`);
      throw notRun(mcpFailureOf(error));
    }
  }

  /** Whether calls can be made with it. */
  get isUsable(): boolean {
    return this.#broken === undefined && !this.#isRetired && this.#streamBytes < MAX_STREAM_BYTES;
  }

  /** Calls a tool; throws `McpFailure`, or the signal's reason once it has aborted. */
  async call({ tool, args, key, timeoutMs, maxTotalMs, signal }: SessionCall): Promise<CallToolResult> {
    const { name, inputSchema } = tool;
    const params = {
      name,
      arguments: argumentsFor(inputSchema, args),
      ...(key !== undefined && { _meta: { 'everturn/key': key } }),
    };
    const result = await this.#exchange(signal, async (until) =>
      this.#client.callTool(params, {
        toolDefinition: { name, inputSchema: { ...inputSchema, type: 'object' } },
        timeout: timeoutMs,
        maxTotalTimeout: maxTotalMs,
        resetTimeoutOnProgress: true,
        onprogress: () => undefined,
        signal: until,
      }),
    );
    return { ...result, structuredContent: restoreStructured(result.structuredContent) };
  }

  /** Reads one page of the list of tools, which nobody has checked; throws like `call`. */
  async listTools(cursor: string | undefined, signal: AbortSignal): Promise<ToolPage> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return { tools: [] };
    const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } };
    return this.#exchange(signal, async (until) =>
      this.#client.request(request, pageSchema, { timeout: CONNECT_MS, signal: until }),
    );
  }

  /** Closes the session once its calls are over. */
  retire(): void {
    this.#isRetired = true;
    if (this.#exchanges.size === 0) void this.close();
  }

  /** Closes the session, also at a server that keeps one. Never throws. */
  async close(): Promise<void> {
    this.#closing ??= this.#closeNow();
    await this.#closing;
  }

  async #closeNow(): Promise<void> {
    this.#isRetired = true;
    for (const exchange of this.#exchanges) exchange.breakOff(closed());
    const terminated = this.#http?.terminateSession().catch(() => undefined);
    await Promise.race([terminated, new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())]);
    await this.#client.close().catch(() => undefined);
  }

  /** Ends everything that waits for answers: none can come any more. */
  breakDown(failure: McpFailure): void {
    this.#broken = failure;
    for (const exchange of this.#exchanges) exchange.breakOff(failure);
    // The older transport would connect again by itself.
    void this.#client.close().catch(() => undefined);
  }

  noteBytes(bytes: number): void {
    this.#streamBytes = bytes;
  }

  async #exchange<T>(signal: AbortSignal, work: (until: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const exchange = new Exchange({ isOneRequest: this.#http !== undefined });
    this.#exchanges.add(exchange);
    try {
      return await exchange.run(async () => work(AbortSignal.any([signal, exchange.over])));
    } catch (error) {
      signal.throwIfAborted();
      throw mcpFailureOf(error);
    } finally {
      this.#exchanges.delete(exchange);
      if (this.#isRetired && this.#exchanges.size === 0) void this.close();
    }
  }
}

/** Handles failures of a session's streams before there is a session. */
class Opening {
  readonly kind: WireKind;
  exchange: Exchange | undefined;
  session: McpSession | undefined;
  bytes = 0;
  broken: McpFailure | undefined;

  constructor(kind: WireKind) {
    this.kind = kind;
  }

  readonly onBroken = (failure: McpFailure) => {
    this.broken = failure;
    if (this.session === undefined) this.exchange?.breakOff(failure);
    else this.session.breakDown(failure);
  };

  readonly onBytes = (bytes: number) => {
    this.bytes = bytes;
    this.session?.noteBytes(bytes);
  };
}

/**
 * Returns arguments as the SDK can copy them into the headers that a schema asks for: with plain numbers, except those
 * that would become other ones.
 */
function argumentsFor(schema: object, args: SessionCall['args']): SessionCall['args'] {
  if (!JSON.stringify(schema).includes('"x-mcp-header"')) return args;
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      inexactNumberIn(value) === undefined ? withPlainNumbers(value) : value,
    ]),
  );
}

function closed(): McpFailure {
  return new McpFailure('upstream', 'The connection to the server was closed', { mayHaveRun: true });
}

/** Returns a failure of which nothing can have been called: there was no session yet. */
function notRun({ kind, message, cause, isForeign, isOtherTransport }: McpFailure): McpFailure {
  return new McpFailure(kind, message, { cause, isForeign, isOtherTransport });
}
