import { z } from 'zod';
import type { McpServer } from '../../db/mcp-servers/mcp-server.entity.ts';
import { keptVerbatim, present } from '../../domain/core/record-names.ts';
import {
  changeOf,
  effectOfMcpTool,
  isSettableHeader,
  MCP_AUTH_TYPES,
  MCP_GRANTS,
  MCP_TRANSPORTS,
  type McpProgram,
  type McpTool,
  programUrl,
  type ToolChanges,
} from '../../domain/mcp-servers.ts';
import type { Lacking } from '../../domain/tools/needs.ts';
import { nameText, storedJson, text } from '../../domain/core/text.ts';
import { isHeaderName } from '../../domain/network/http-headers.ts';
import { timestamp } from '../http/fields.ts';

// Everybody who sees the server sees its settings.
const SECRET = /auth|token|secret|key|cookie|passw|credential|session|signature/i;
// The fields by which other products start programs.
const PROGRAM = /^(?:command|args|env|cwd|stdio)$/i;

const headers = z
  .record(
    z
      .string()
      .max(100)
      .refine(isHeaderName, { error: 'must be the name of a header', abort: true })
      .refine((name) => isSettableHeader(name) && !PROGRAM.test(name), 'cannot be set')
      .refine((name) => !SECRET.test(name), 'may be secret: give it as auth_value with the auth_type header'),
    z
      .string()
      .max(2_000)
      .regex(/^[\x20-\x7e]*$/, 'must be printable ASCII'),
  )
  .refine((given) => Object.keys(given).length <= 20, 'must contain at most 20 headers')
  .meta({ description: 'Headers sent with each request to the server; they must not be secret' });

const oauth = z
  .strictObject({
    grant: z.enum(MCP_GRANTS).meta({
      description: 'Defaults to `client_credentials`; with `authorization_code` a person signs in',
    }),
    client_id: text(500).min(1).meta({
      description:
        'The id of a client registered with the authorization server; without it, a client is registered when somebody signs in',
    }),
    issuer: text(2_000).min(1).meta({
      description: 'The issuer identifier of the authorization server: the secret is sent to no other',
    }),
    scope: text(1_000).min(1).meta({ description: 'The scopes to request, separated by spaces' }),
  })
  .partial()
  .meta({ id: 'McpOAuthClient' });

/** The settings of a connection to an MCP server. Those without a meaning here are kept as they were entered. */
export const connectionSettings = keptVerbatim(
  storedJson(
    z
      .looseObject({
        headers,
        timeout_seconds: z.int().min(1).max(600).meta({
          description: 'How long a call waits for its result, or for the next progress notification; defaults to 60',
        }),
        transport: z.enum(MCP_TRANSPORTS).meta({
          description: '`auto` tries Streamable HTTP first, then the older transport with server-sent events',
        }),
        oauth,
      })
      .partial(),
  )
    .superRefine(({ headers: _headers, oauth: _oauth, ...others }, context) => {
      for (const path of rejectedNamesIn(others))
        context.addIssue({ code: 'custom', path, message: 'may be secret, or start a program' });
    })
    .meta({
      id: 'McpConnectionSettings',
      description:
        'Settings of the connection. Other entries are stored and have no effect. Names of secrets and of programs are rejected',
    }),
);

/** Returns where a value has names of what may be secret or start a program. */
function rejectedNamesIn(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    SECRET.test(name) || PROGRAM.test(name) ? [[name]] : rejectedNamesIn(inner).map((path) => [name, ...path]),
  );
}

const authValue = z
  .string()
  .min(1)
  .max(10_000)
  .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII')
  .meta({
    description:
      'The secret for `auth_type`: a token (`bearer`), a header as `Name: value` (`header`) or the client secret (`oauth`). Stored encrypted and never shown.',
  });

const fields = {
  name: nameText().meta({ description: 'Prefix of the tool names that models see: `mcp__<name>__<tool>`' }),
  description: text(5_000).nullable(),
  url: text(2_000).min(1).meta({
    format: 'uri',
    description: 'The http or https address of the server, or a program from `GET /api/mcp-servers/catalog`',
  }),
  config: connectionSettings,
  trusted: z.boolean().meta({
    description:
      'Whether its tools are called without asking a person, including those declared as destructive. Only administrators can set it; a new `url` resets it',
  }),
  auth_type: z.enum(MCP_AUTH_TYPES).meta({
    description: '`oauth` obtains tokens as a program, or on behalf of a person who signs in (`config.oauth.grant`)',
  }),
};

export const newMcpServerSchema = z
  .strictObject({
    ...fields,
    description: fields.description.default(null),
    config: fields.config.default({}),
    trusted: fields.trusted.default(false),
    auth_type: fields.auth_type.default('none'),
    auth_value: authValue.nullable().default(null),
  })
  .meta({
    id: 'McpServerCreate',
    examples: [
      { name: 'Tickets', url: 'https://mcp.example.com/mcp', auth_type: 'bearer', auth_value: 'a-token' },
      {
        name: 'Search',
        url: 'https://search.example.com/mcp',
        auth_type: 'header',
        auth_value: 'X-API-Key: a-key',
        config: { timeout_seconds: 120 },
      },
    ],
  });

export const mcpServerChangesSchema = z
  .strictObject({ ...fields, auth_value: authValue.nullable() })
  .partial()
  .meta({ id: 'McpServerUpdate', examples: [{ config: { timeout_seconds: 120 } }] });

const leftOutSchema = z
  .object({ name: z.string(), reason: z.string() })
  .meta({ id: 'McpToolLeftOut', description: 'A tool of the server that is not offered, and why' });

const fetchChangesSchema = z
  .object({ added: z.string().array(), changed: z.string().array(), removed: z.string().array() })
  .meta({ id: 'McpToolChanges', description: 'Names of tools' });

export const mcpServerSchema = z
  .object({
    id: z.uuid(),
    owner_id: z.uuid().nullable().meta({ description: 'Who added it; null when the account was deleted' }),
    ...fields,
    config: z.record(z.string(), z.unknown()).meta({ description: 'The settings of the connection, as entered' }),
    has_credentials: z.boolean().meta({ description: 'Whether an `auth_value` is stored; it is never shown' }),
    signed_in_at: timestamp.nullable().meta({
      description: 'With the grant `authorization_code`: when somebody last signed in; null if nobody has',
    }),
    tool_count: z.int().meta({ description: 'The number of tools from the last successful fetch' }),
    tools_fetched_at: timestamp
      .nullable()
      .meta({ description: 'The time of the last successful fetch; null if there was none' }),
    fetch_error: z.string().nullable().meta({ description: 'Why the last fetch failed, human-readable' }),
    left_out: leftOutSchema.array().meta({ description: 'Tools rejected by the last successful fetch' }),
    fetch_changes: fetchChangesSchema.nullable().meta({
      description:
        'Changes found by the last successful fetch compared to the one before it; null when it was the first for this `url`',
    }),
    changed_tools: z.string().array().meta({
      description:
        'Tools whose definition on the server has been seen to change since then; calls use the fetched definitions',
    }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'McpServer' });

export const mcpProgramSchema = z
  .object({
    url: z.string().meta({ description: 'The `url` to use for a server that runs this program' }),
    name: z.string(),
    description: z.string(),
    takes_secret: z.boolean().meta({ description: 'Whether it needs a secret; `auth_type` is then `bearer`' }),
    network: z.boolean().meta({ description: 'Whether it can reach public addresses' }),
    available: z.boolean().meta({ description: 'Whether the workers can start it' }),
    reason: z.string().nullable().meta({ description: 'Why it is not available' }),
  })
  .meta({
    id: 'McpProgram',
    examples: [
      {
        url: 'stdio:files',
        name: 'Files',
        description: 'Reads and writes files of its own.',
        takes_secret: false,
        network: false,
        available: true,
        reason: null,
      },
    ],
  });

export const mcpToolSchema = z
  .object({
    name: z.string().meta({ description: 'Its name on the server' }),
    description: z.string(),
    input_schema: z.record(z.string(), z.unknown()).meta({ description: 'The JSON Schema of its arguments' }),
    effect: z.enum(['read', 'keyed', 'once']).meta({
      description: 'Whether a call may be repeated after a crash: freely, with the same key, or never',
    }),
    annotations: z.record(z.string(), z.unknown()).meta({ description: 'What the server says about the tool' }),
    change: z.enum(['added', 'changed']).nullable().meta({
      description: 'Whether the last fetch added or changed it; null when neither',
    }),
  })
  .meta({ id: 'McpTool' });

/** Returns a server as the API shows it: of its secret, only whether there is one. */
export function presentMcpServer(server: McpServer): z.input<typeof mcpServerSchema> {
  return present(mcpServerSchema, server, { config: { ...server.config }, hasCredentials: server.authValue !== null });
}

/** Returns a function that shows programs of the operator as the API does, by what the workers lack. */
export function mcpProgramPresenter({ sandbox }: Lacking): (program: McpProgram) => z.input<typeof mcpProgramSchema> {
  const reason = sandbox ?? null;
  return (program) => {
    const takesSecret = program.secretVariable !== undefined;
    return present(mcpProgramSchema, program, {
      url: programUrl(program),
      takesSecret,
      available: reason === null,
      reason,
    });
  };
}

/** Returns a function that shows the tools of a server as the API does, each with how the last fetch has changed it. */
export function mcpToolPresenter(changes: ToolChanges | null): (tool: McpTool) => z.input<typeof mcpToolSchema> {
  return (tool) => {
    const { name, annotations } = tool;
    const more = {
      effect: effectOfMcpTool(annotations),
      annotations: { ...annotations },
      change: changeOf(name, changes),
    };
    return present(mcpToolSchema, tool, more);
  };
}
