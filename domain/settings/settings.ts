import { z } from 'zod';
import { parseFilesLocation } from '../files/index.ts';
import { parseMarketplaceIndexes } from '../marketplace/index.ts';
import { parsePrivateHosts } from '../network/index.ts';
import { parseOrgLimits } from '../orgs/index.ts';
import { boundSetting } from './work-bounds.ts';
import { givenOr } from './given-or.ts';
import { parsedSetting } from './parsed.ts';
import { tracingSettings } from './tracing-settings.ts';
import { temporalConnectionSettings } from './temporal-connection.ts';

const MIN_SECRET_KEY_CHARACTERS = 32;
const DAYS = 'must be a number of days above 0, at most 3650';
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** The settings that the api and the worker share (docs/settings.md). */
export const sharedSettings = z.object({
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' }),
  TEMPORAL_ADDRESS: z
    .string({ error: 'must be the host:port of a Temporal server' })
    .regex(/^\S+:\d+$/, 'must be host:port'),
  TEMPORAL_NAMESPACE: givenOr(z.string().default('default')),
  ...temporalConnectionSettings,
  /** One key, or several separated by commas: the first encrypts and signs, all of them decrypt and verify. */
  SECRET_KEY: z
    .string({ error: `must be set to a random text of at least ${MIN_SECRET_KEY_CHARACTERS} characters` })
    .transform((list) => list.split(',').map((key) => key.trim()))
    .refine((keys) => keys.every((key) => key.length >= MIN_SECRET_KEY_CHARACTERS), {
      error: `each key must have at least ${MIN_SECRET_KEY_CHARACTERS} characters`,
    })
    .transform((keys) => keys as [string, ...string[]]),
  ALLOW_PRIVATE_HOSTS: parsedSetting(parsePrivateHosts),
  /** Limits on the records and bytes of all organizations of one owner together. */
  ORG_LIMITS: parsedSetting(parseOrgLimits),
  /** How long a person's decision about a tool call, or a step of a workflow, is waited for, in days. */
  APPROVAL_WAIT_DAYS: givenOr(z.coerce.number(DAYS).positive(DAYS).max(3_650, DAYS).default(90)),
  /** The days for which deleted chats can be restored; 0 for ever. */
  DELETED_CHAT_DAYS: boundSetting(30),
  /** The operator's folder of tools, skills and personas, laid out like `builtin/`. */
  CATALOG_DIR: givenOr(z.string().optional()),
  /** The operator's file of programs that organizations may add as MCP servers. */
  MCP_CATALOG: givenOr(z.string().optional()),
  /** Indexes of items that the operator adds to the marketplace. */
  MARKETPLACE_INDEXES: parsedSetting(parseMarketplaceIndexes),
  /** Where uploaded files are kept; PostgreSQL unless given. */
  FILES_URL: parsedSetting(parseFilesLocation),
  /** Where workspaces lie: on the disk of each worker, stored after each change, or in a folder that workers share. */
  WORKSPACES: givenOr(z.enum(['local', 'shared'], 'must be local or shared').default('local')),
  ...tracingSettings,
  LOG_LEVEL: givenOr(z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info')),
});

/** The process functions that settings need. */
interface SettingsProcess {
  readonly env: Record<string, string | undefined>;
  readonly stderr: { write(text: string): unknown };
  exit(code: number): never;
}

/** The level of a line of the log that says why the process ends. */
const FATAL = 60;

/** Returns the settings of a process. Invalid ones end it, with a line of the log that names each of them. */
export function settingsOf<T extends z.ZodObject>(schema: T, process: SettingsProcess): z.output<T> {
  const read = readSettings(schema, process.env);
  if ('settings' in read) return read.settings;
  const line = { level: FATAL, time: Date.now(), msg: `Invalid settings:\n${read.issues.join('\n')}` };
  process.stderr.write(`${JSON.stringify(line)}\n`);
  return process.exit(1);
}

/** The settings, or what is wrong with them. */
export type SettingsRead<T extends z.ZodObject> =
  | { readonly settings: z.output<T> }
  | { readonly issues: readonly string[] };

/** Reads settings from the environment, or names every faulty variable, a line each. Values are never repeated. */
export function readSettings<T extends z.ZodObject>(
  schema: T,
  environment: Record<string, string | undefined>,
): SettingsRead<T> {
  const result = schema.safeParse(environment);
  if (result.success) return { settings: result.data };
  const issues = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  return { issues: [...new Set(issues)] };
}
