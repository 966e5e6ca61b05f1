import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const INFO = { name: 'test', version: '1' };

/** The official clients: of each revision of the protocol that the current one speaks, and the former one. */
export const MCP_CLIENTS = ['2026', '2025', 'former'] as const;
export type McpClientKind = (typeof MCP_CLIENTS)[number];

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { readonly message?: string | undefined }) => void;
}

/** What a tool has answered. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A connected client. */
export interface ConnectedClient {
  readonly version: string | undefined;
  tools(): Promise<readonly string[]>;
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<ToolAnswer>;
  close(): Promise<void>;
}

/** Connects an official client with a bearer token. */
export async function connectMcpClient(
  url: string,
  token: string,
  kind: McpClientKind = '2026',
): Promise<ConnectedClient> {
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const address = new URL('/mcp', url);
  if (kind === 'former') {
    const former = new FormerClient(INFO);
    const transport = new FormerTransport(address, { requestInit });
    await former.connect(transport);
    return {
      version: transport.protocolVersion,
      tools: async () => (await former.listTools()).tools.map(({ name }) => name),
      call: async (name, args = {}, options = {}) =>
        answerOf(await former.callTool({ name, arguments: args }, undefined, options)),
      close: async () => former.close(),
    };
  }
  const mode = kind === '2026' ? ('auto' as const) : ('legacy' as const);
  const client = new Client(INFO, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit }));
  return {
    version: client.getNegotiatedProtocolVersion(),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}, options = {}) => answerOf(await client.callTool({ name, arguments: args }, options)),
    close: async () => client.close(),
  };
}

function answerOf(result: object): ToolAnswer {
  const { content, structuredContent, isError } = result as {
    readonly content: readonly { readonly text?: string }[];
    readonly structuredContent?: Record<string, unknown>;
    readonly isError?: boolean;
  };
  return { isError: isError === true, text: content[0]?.text ?? '', data: structuredContent ?? {} };
}
