import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import type { Database } from '../../../db/core/database.ts';
import type { SecretBox } from '../../../db/core/secret-box.ts';
import type { McpConnection } from '../../../db/mcp-servers/for-turn.ts';
import { openAuthValue } from '../../../db/mcp-servers/mcp-servers.ts';
import type { GuardedFetch } from '../../core/network/guarded-fetch.ts';
import { SecretMask } from '../../core/secret-mask.ts';
import type { McpPrograms } from '../mcp-programs.ts';
import { authorizationOf } from '../oauth/stored-grant.ts';
import { McpFailure } from '../mcp-failure.ts';
import { ProgramTransport } from './program-transport.ts';
import { createSessionFetch } from './session-fetch.ts';

/** The dependencies of all sessions. */
export interface SessionDeps {
  readonly fetch: GuardedFetch;
  readonly database: Database;
  readonly box: SecretBox;
  /** Starts the servers that are programs of the operator; there are none unless given. */
  readonly programs?: McpPrograms;
}

/** How a server is spoken to: over the network, or with a program that is started for it. */
export type WireKind = 'http' | 'sse' | 'program';

/** The connection that messages are sent over. */
interface Wire {
  readonly transport: Transport;
  /** The same, where the server may keep a session that has to be ended. */
  readonly http?: StreamableHTTPClientTransport;
}

/** Receives what happens to the stream of responses. */
interface WireWatch {
  readonly onBroken: (failure: McpFailure) => void;
  readonly onBytes: (bytes: number) => void;
}

/** How the rest of a stream that has broken off is asked for. */
const RECONNECTION = {
  initialReconnectionDelay: 100,
  maxReconnectionDelay: 1_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 2,
};

/** Makes what the messages of a session go over. Nothing is sent before the session begins. Throws `McpFailure`. */
export async function openWire(
  deps: SessionDeps,
  server: McpConnection,
  { kind, ...watch }: WireWatch & { readonly kind: WireKind },
): Promise<Wire> {
  if (kind === 'program') return { transport: await openProgram(deps, server, watch) };
  const url = new URL(server.url);
  const { headers, provider } = authorizationOf(deps, server);
  const sessionFetch = createSessionFetch({ fetch: deps.fetch, url, transport: kind, headers, ...watch });
  const options = { fetch: sessionFetch, ...(provider !== undefined && { authProvider: provider }) };
  if (kind === 'sse') return { transport: new SSEClientTransport(url, options) };
  const http = new StreamableHTTPClientTransport(url, {
    ...options,
    onInsufficientScope: 'throw',
    reconnectionOptions: RECONNECTION,
  });
  return { transport: http, http };
}

async function openProgram(
  { programs, box }: SessionDeps,
  server: McpConnection,
  { onBroken }: WireWatch,
): Promise<ProgramTransport> {
  if (programs === undefined) throw new McpFailure('denied', 'No MCP servers are started here');
  const secret = openAuthValue(box, server);
  const process = await programs.start(server, secret);
  return new ProgramTransport({ process, mask: new SecretMask(secret === null ? [] : [secret]), onBroken });
}
