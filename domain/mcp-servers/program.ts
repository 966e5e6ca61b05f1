import { z } from 'zod';
import { nameText, text } from '../core/text.ts';

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
// What a sandbox has of its own at these places would lie under it.
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
