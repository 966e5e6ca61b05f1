import { z } from 'zod';
import type { ApprovalMode } from './approvals.ts';
import { nameText, text } from './core/text.ts';
import { isConnectionHeader, isHeaderName } from './network/http-headers.ts';

/** How a server authenticates its callers. */
export const MCP_AUTH_TYPES = ['none', 'bearer', 'header', 'oauth'] as const;

export type McpAuthType = (typeof MCP_AUTH_TYPES)[number];

/** The transports of the protocol that are spoken here; `auto` tries Streamable HTTP first. */
export const MCP_TRANSPORTS = ['auto', 'http', 'sse'] as const;

/** How tokens are asked for: for a program, or for a person who signs in. */
export const MCP_GRANTS = ['client_credentials', 'authorization_code'] as const;

/** Settings of a server's connection, under the names that they have in the API. They contain no secret. */
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
 * Returns whether a header of this name may be added to requests to a server: not one of the connection or the
 * protocol.
 */
export function isSettableHeader(name: string): boolean {
  return isHeaderName(name) && !isConnectionHeader(name) && !OF_PROTOCOL.test(name);
}

const HEADER = /^(?<name>[^:]{1,100}): ?(?<value>[\x21-\x7e][\x20-\x7e]*)$/;

/** Parses a secret header, `X-API-Key: value`; undefined when the text is none, or the header cannot be set. */
export function readSecretHeader(text: string): { readonly name: string; readonly value: string } | undefined {
  const { name, value } = HEADER.exec(text)?.groups ?? {};
  if (name === undefined || value === undefined || !isSettableHeader(name)) return undefined;
  return { name, value: value.trimEnd() };
}

/** A program of the operator that organizations may add as an MCP server. */
export interface McpProgram {
  /** By which the address of a server names it. */
  readonly key: string;
  readonly name: string;
  readonly description: string;
  /** The program and its arguments, which are all the operator's. */
  readonly command: readonly string[];
  /** Folders of the machine that it may read, beside the system's. */
  readonly folders: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The variable in which it finds the secret of the organization; undefined when it takes none. */
  readonly secretVariable: string | undefined;
  /** Whether it reaches public addresses. */
  readonly network: boolean;
}

/** The programs of the operator, by their keys. */
export type McpCatalog = ReadonlyMap<string, McpProgram>;

const SCHEME = 'stdio:';
const variable = z.string().regex(/^[A-Za-z_]\w{0,63}$/, 'must be the name of a variable');

// Paths that the sandbox uses itself, and that a mount would cover.
const RESERVED = /^\/(?:$|(?:proc|sys|dev|work|run|etc)(?:\/|$))/;
const folder = z
  .string()
  .max(1_000)
  .regex(/^\/[^\0]*$/, 'must be an absolute path')
  .refine((path) => !path.split('/').includes('..'), 'must not contain ..')
  .refine((path) => !RESERVED.test(path), 'must not be the root, or lie in a folder that a sandbox has of its own');

const catalogSchema = z.record(
  z.string().regex(/^[a-z0-9][a-z0-9_-]{0,49}$/, 'must be small letters, digits, _ and -'),
  z.strictObject({
    name: nameText(),
    description: text(2_000).default(''),
    command: z
      .tuple([text(1_000).regex(/^\//, 'must be an absolute path')], text(10_000))
      .refine((parts) => parts.length <= 100, 'must have at most 100 parts'),
    folders: folder.array().max(20).default([]),
    environment: z.record(variable, text(10_000)).default({}),
    secret_variable: variable.optional(),
    network: z.boolean().default(false),
  }),
);

/** Reads the operator's catalogue of programs; throws an error that names each fault. */
export function parseMcpCatalog(json: string): McpCatalog {
  const read = catalogSchema.safeParse(JSON.parse(json));
  if (!read.success)
    throw new Error(read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  const programs = Object.entries(read.data).map(
    ([key, { secret_variable: secretVariable, ...program }]) => [key, { key, secretVariable, ...program }] as const,
  );
  return new Map(programs);
}

/** Returns the key of the program that the address of a server names; undefined for an address of the network. */
export function programKeyOf(url: string): string | undefined {
  return url.startsWith(SCHEME) ? url.slice(SCHEME.length) : undefined;
}

/** Returns the address by which servers name a program. */
export function programUrl({ key }: Pick<McpProgram, 'key'>): string {
  return `${SCHEME}${key}`;
}

/** The key that represents the tools of an agent's MCP servers in the list of its tools. */
export const MCP_TOOLS_KEY = 'mcp';

/**
 * What a server claims of a tool. It decides about repetition, and may make calls wait for a person; it permits
 * nothing.
 */
interface McpAnnotations {
  readonly title?: string | undefined;
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
}

/** A tool of a server as it was last fetched. */
export interface McpTool {
  /** Its name at the server. */
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of its arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations: McpAnnotations;
  /** The digest of the definition as the server gave it, by which a change is noticed. */
  readonly digest: string;
}

/** A tool that a fetch did not take, and why. */
export interface LeftOutTool {
  readonly name: string;
  readonly reason: string;
}

/**
 * Returns the effect of repeating a call of the tool, by what the server says: a liar doubles effects at itself only.
 */
export function effectOfMcpTool({ readOnlyHint, idempotentHint }: McpAnnotations): 'read' | 'keyed' | 'once' {
  if (readOnlyHint === true) return 'read';
  return idempotentHint === true ? 'keyed' : 'once';
}

/**
 * Returns when calls of the tool wait for a person's decision, where the agent says nothing: those that may destroy.
 */
export function approvalOfMcpTool({ readOnlyHint, destructiveHint }: McpAnnotations): ApprovalMode {
  return destructiveHint === true && readOnlyHint !== true ? 'always' : 'never';
}

/** The changes since the previous fetch, by the names of tools. */
export interface ToolChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** Compares two lists of a server's tools by their definitions. */
export function compareTools(before: readonly McpTool[], now: readonly McpTool[]): ToolChanges {
  const digests = new Map(before.map(({ name, digest }) => [name, digest]));
  const names = new Set(now.map(({ name }) => name));
  const named = (tools: readonly McpTool[]) => tools.map(({ name }) => name);
  return {
    added: named(now.filter(({ name }) => !digests.has(name))),
    changed: named(now.filter(({ name, digest }) => digests.has(name) && digests.get(name) !== digest)),
    removed: named(before.filter(({ name }) => !names.has(name))),
  };
}

/** Returns how a tool has changed with a fetch; null when it has not, or there was no fetch to compare with. */
export function changeOf(name: string, changes: ToolChanges | null): 'added' | 'changed' | null {
  if (changes?.added.includes(name) === true) return 'added';
  return changes?.changed.includes(name) === true ? 'changed' : null;
}

/** The prefix of the names of all tools of MCP servers. */
export const MCP_NAME = 'mcp__';

const MAX_CHARACTERS = 64;
const MAX_SERVER_CHARACTERS = 20;
const SUFFIX_CHARACTERS = 7;

/** A tool that is to be offered, by its names at the server. */
interface NamedTool {
  readonly serverName: string;
  readonly toolName: string;
  /** Identifies it among all tools of the organization, and never changes. */
  readonly identity: string;
}

/**
 * Returns the name under which each tool is offered, `mcp__<server>__<tool>`: letters, digits, `_` and `-`, at most 64
 * characters, each name once. Where cleaning or cutting has left two names alike, each of them ends in a digest of its
 * own, so that no name depends on the order of the tools.
 */
export function offeredNames(tools: readonly NamedTool[]): readonly string[] {
  const plain = tools.map(({ serverName, toolName }) => plainName(serverName, toolName));
  const counts = new Map<string, number>();
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1);
  return tools.map(({ identity }, index) => {
    const name = plain[index] ?? '';
    const isClear = counts.get(name) === 1 && name.length <= MAX_CHARACTERS;
    return isClear ? name : `${name.slice(0, MAX_CHARACTERS - SUFFIX_CHARACTERS - 1)}_${digest(identity)}`;
  });
}

function plainName(serverName: string, toolName: string): string {
  const server = cleaned(serverName).slice(0, MAX_SERVER_CHARACTERS);
  return `${MCP_NAME}${server || 'server'}__${cleaned(toolName) || 'tool'}`;
}

function cleaned(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9-]+/g, '_')
    .replace(/^_/, '')
    .replace(/_$/, '');
}

/** Returns seven letters and digits that follow from the text (FNV-1a, twice with different beginnings). */
function digest(text: string): string {
  const halves = [0x81_1c_9d_c5, 0x01_00_01_93].map((start) => {
    let hash = start;
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
    return (hash >>> 0).toString(36).padStart(7, '0');
  });
  return halves.join('').slice(3, 3 + SUFFIX_CHARACTERS);
}
