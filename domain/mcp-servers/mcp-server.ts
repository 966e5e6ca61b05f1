import { isConnectionHeader, isHeaderName } from '../network/index.ts';

/** How a server authenticates its callers. */
export const MCP_AUTH_TYPES = ['none', 'bearer', 'header', 'oauth'] as const;

export type McpAuthType = (typeof MCP_AUTH_TYPES)[number];

/** The transports of the protocol that are spoken here; `auto` tries Streamable HTTP first. */
export const MCP_TRANSPORTS = ['auto', 'http', 'sse'] as const;

/** How tokens are asked for: for a program, or for a person who signs in. */
export const MCP_GRANTS = ['client_credentials', 'authorization_code'] as const;

/** Settings of a server's connection, under the names that they have in the API. They hold no secret. */
export interface McpConfig {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly timeout_seconds?: number | undefined;
  readonly transport?: (typeof MCP_TRANSPORTS)[number] | undefined;
  /** The client that an authorization server knows, if there is one; its secret is the server's `auth_value`. */
  readonly oauth?:
    | {
        readonly grant?: (typeof MCP_GRANTS)[number] | undefined;
        readonly client_id?: string | undefined;
        readonly issuer?: string | undefined;
        readonly scope?: string | undefined;
      }
    | undefined;
}

// Set by the client of the protocol.
const OF_PROTOCOL = /^(?:accept|content-.*|last-event-id|mcp-.*|origin|user-agent)$/i;

/**
 * Tells whether requests to a server may be given a header of this name: none of the connection's or the protocol's.
 */
export function isSettableHeader(name: string): boolean {
  return isHeaderName(name) && !isConnectionHeader(name) && !OF_PROTOCOL.test(name);
}

const HEADER = /^(?<name>[^:]{1,100}): ?(?<value>[\x21-\x7e][\x20-\x7e]*)$/;

/**
 * Reads a secret header as it is given, `X-API-Key: value`; undefined when the text is none, or the header cannot be
 * set.
 */
export function readSecretHeader(text: string): { readonly name: string; readonly value: string } | undefined {
  const { name, value } = HEADER.exec(text)?.groups ?? {};
  if (name === undefined || value === undefined || !isSettableHeader(name)) return undefined;
  return { name, value: value.trimEnd() };
}
