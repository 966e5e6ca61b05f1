import { z } from 'zod';
import { type ReadFile, readSettingFiles, unreadableFiles } from './setting-files.ts';
import { boundSetting, durationSetting, givenOr, parsedSetting, sizeSetting } from './setting-values.ts';
import ipaddr from 'ipaddr.js';
import { parseFilesLocation } from '../files.ts';
import { parseMarketplaceIndexes } from '../marketplace.ts';
import { parseHostNames, parseOrigins } from '../network/host-names.ts';
import { parsePrivateHosts, parseTrustedProxies } from '../network/addresses.ts';
import { parseOrgLimits } from '../orgs.ts';
import { CLI_PROVIDERS, type CliProvider, isCliProvider } from '../providers/credential-forms.ts';
import { temporalConnectionSettings } from './temporal-connection.ts';

const HEADERS = 'must be name=value, several separated by commas';
const HEADER_NAME = /^[\w-]+$/;
const HEADER_VALUE = /^[\x20-\x7e]+$/;
const SHARE = 'must be a number from 0 to 1';

/** The settings of traces, under the names that OpenTelemetry has for them (docs/monitoring.md). */
const tracingSettings = {
  /** The address of a collector; nothing is traced unless given. */
  OTEL_EXPORTER_OTLP_ENDPOINT: givenOr(
    z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: parsedSetting(parseHeaders),
  /** The share of traces that is kept. */
  OTEL_TRACES_SAMPLER_ARG: givenOr(z.coerce.number(SHARE).min(0, SHARE).max(1, SHARE).default(1)),
  /** Whether questions, answers, arguments and results are exported, too. */
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: givenOr(
    z
      .enum(['true', 'false'], 'must be true or false')
      .default('false')
      .transform((word) => word === 'true'),
  ),
};

/** Parses headers as `name=value,name=value`; values with a comma are percent-encoded. */
function parseHeaders(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').flatMap((pair) => (pair.trim() === '' ? [] : [pair.trim()]));
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', ...rest] = pair.split('=');
      const value = decoded(rest.join('=').trim());
      if (!HEADER_NAME.test(name.trim()) || !HEADER_VALUE.test(value)) throw new Error(HEADERS);
      return [name.trim(), value];
    }),
  );
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

const MIN_SECRET_KEY_CHARACTERS = 32;
const DAYS = 'must be a number of days above 0, at most 3650';
const PORT = 'must be a port';
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** An address of this machine, or a name of one. An IPv6 address has two colons at least, and a port only one. */
const LISTENED_ON = /^(?:[\w.-]+|(?=.*:.*:)[\da-f:.]+(?:%\w+)?)$/i;

function isPort(port: string | undefined): boolean {
  return port !== undefined && Number(port) > 0 && Number(port) <= 65_535;
}

/** The settings that the api and the worker share (docs/settings.md). */
export const sharedSettings = z.object({
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' }),
  TEMPORAL_ADDRESS: z
    .string({ error: 'must be the host:port of a Temporal server' })
    .refine((address) => isPort(/^[^\s/]+:(?<port>\d+)$/.exec(address)?.groups?.['port']), 'must be host:port'),
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
  /** Where the api listens. */
  PORT: givenOr(z.coerce.number(PORT).int(PORT).min(0, PORT).max(65_535, PORT).default(3000)),
  HOST: givenOr(z.string().regex(LISTENED_ON, 'must be an address or a name, without a port').default('127.0.0.1')),
  /** The address under which users reach the service. */
  PUBLIC_URL: givenOr(z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional()),
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
export function settingsOf<T extends z.ZodObject>(
  schema: T,
  process: SettingsProcess,
  readFile: ReadFile,
): z.output<T> {
  const read = readSettings(schema, process.env, readFile);
  if ('settings' in read) return read.settings;
  const line = { level: FATAL, time: Date.now(), msg: `Invalid settings:\n${read.issues.join('\n')}` };
  process.stderr.write(`${JSON.stringify(line)}\n`);
  return process.exit(1);
}

/** The settings, or what is wrong with them. */
export type SettingsRead<T extends z.ZodObject> =
  | { readonly settings: z.output<T> }
  | { readonly issues: readonly string[] };

/** The settings that name a file of the operator, without which a process cannot start. */
const READ_AT_START = { MCP_CATALOG: true, PRICES_FILE: true };

/**
 * Reads settings from the environment and the files that it names, or names every faulty variable, a line each. Values
 * are never repeated.
 */
export function readSettings<T extends z.ZodObject>(
  schema: T,
  environment: Readonly<Record<string, string | undefined>>,
  readFile: ReadFile,
): SettingsRead<T> {
  const { given, faults } = readSettingFiles(Object.keys(schema.shape), environment, readFile);
  const result = schema.safeParse(given);
  const unreadable = unreadableFiles(
    Object.keys(READ_AT_START).filter((name) => name in schema.shape),
    given,
    readFile,
  );
  if (result.success && faults.size === 0 && unreadable.length === 0) return { settings: result.data };
  const issues = (result.error?.issues ?? [])
    .filter(({ path: [name] }) => !faults.has(String(name)))
    .map(({ path, message }) => `${path.join('.')}: ${message}`);
  return { issues: [...faults.values(), ...new Set(issues), ...unreadable] };
}

const RATE = 'must be a whole number from 0 (no limit) to 10000000';
const requestRate = (fallback: number) =>
  givenOr(z.coerce.number(RATE).int(RATE).min(0, RATE).max(10_000_000, RATE).default(fallback));

/** The settings of the api (docs/settings.md). */
export const apiSettings = sharedSettings.extend({
  /** Who may register: anybody, holders of an invite, nobody. */
  REGISTRATION: givenOr(z.enum(['open', 'invite', 'closed'], 'must be open, invite or closed').default('invite')),
  /** Requests a minute, 0 for no limit: of one user, with one API key, from one address without valid credentials. */
  API_RATE_LIMIT: requestRate(12_000),
  API_RATE_LIMIT_KEY: requestRate(6_000),
  API_RATE_LIMIT_ADDRESS: requestRate(1_200),
  API_RATE_LIMIT_WEBHOOK: requestRate(1_200),
  /** The proxies before the api that report truthfully where a request came from. */
  TRUSTED_PROXIES: parsedSetting(parseTrustedProxies),
  /** Names that the api may be addressed by, beside those of PUBLIC_URL and HOST and those that mean this machine. */
  ALLOWED_HOSTS: parsedSetting(parseHostNames),
  /** The origins of pages that may read responses; none unless given. */
  CORS_ORIGINS: parsedSetting(parseOrigins),
  /** The folder of the built console; that beside the code unless given. */
  CONSOLE_DIR: givenOr(z.string().optional()),
  /** Where people open Temporal's UI: turns and runs then lead to their workflows there. */
  TEMPORAL_UI_URL: givenOr(z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional()),
  /** The token that opens /metrics to other machines. */
  METRICS_TOKEN: givenOr(z.string().min(16, 'must have at least 16 characters').optional()),
});

const SECONDS = 'must be a number of seconds above 0, at most 86400';
const seconds = (fallback: number) =>
  givenOr(z.coerce.number(SECONDS).positive(SECONDS).max(86_400, SECONDS).default(fallback));

const LISTEN_ADDRESS = 'must be an IP address and a port, such as 127.0.0.1:9464 or [::1]:9464';

const path = () => givenOr(z.string().startsWith('/', 'must be an absolute path').optional());

/** The settings of providers whose models answer through a command-line program (docs/cli-providers.md). */
const cliSettings = {
  /** The providers that the operator offers; none unless given. */
  CLI_PROVIDERS: parsedSetting(parseCliProviders),
  /** The paths of the programs; by default they are searched for. */
  CLAUDE_CODE_BIN: path(),
  CODEX_BIN: path(),
  GEMINI_CLI_BIN: path(),
} as const;

const count = (fallback: number, { min, max }: { readonly min: number; readonly max: number }) => {
  const words = `must be a whole number from ${min} to ${max}`;
  return givenOr(z.coerce.number(words).int(words).min(min, words).max(max, words).default(fallback));
};

/** The settings of the sandbox, in which commands of agents run (docs/sandbox.md). */
const sandboxSettings = {
  SANDBOX: givenOr(z.enum(['auto', 'off'], 'must be auto or off').default('auto')),
  /** The path of bubblewrap; by default it is searched for. */
  SANDBOX_BWRAP: givenOr(z.string().optional()),
  /** The user whom commands run as when the service runs as root; never root. */
  SANDBOX_UID: count(61_111, { min: 1, max: 4_000_000_000 }),
  /** `gateway` lets commands reach public addresses over http and https. */
  SANDBOX_NETWORK: givenOr(z.enum(['off', 'gateway'], 'must be off or gateway').default('off')),
  /** The memory, and the processes, of all of a command; the size of its temporary folder. */
  SANDBOX_MEMORY: sizeSetting('1G'),
  SANDBOX_PIDS: count(128, { min: 16, max: 32_768 }),
  SANDBOX_TMP: sizeSetting('256M'),
  /** The most commands at once in a worker. */
  SANDBOX_CONCURRENCY: count(4, { min: 1, max: 256 }),
  /** The path of Chromium, or `off`; by default it is searched for. */
  BROWSER_CHROMIUM: givenOr(z.string().optional()),
} as const;

/** The settings of the worker (docs/settings.md). */
export const workerSettings = sharedSettings.extend({
  /** Limits of one model call, in seconds. */
  MODEL_FIRST_BYTE_TIMEOUT: seconds(60),
  MODEL_IDLE_TIMEOUT: seconds(60),
  MODEL_TOTAL_TIMEOUT: seconds(600),
  /** The total time that a turn waits for providers that cool down, in milliseconds. */
  PROVIDER_WAIT_MAX: durationSetting('6h'),
  /** The longest time that a sub-agent may work, in milliseconds. */
  SUB_AGENT_TIMEOUT: durationSetting('1h'),
  /** Bounds on turns, and on tool calls beside them, that run at once; 0 for no limit. */
  MAX_TURNS_PER_USER: boundSetting(40),
  MAX_TURNS_PER_ORG: boundSetting(120),
  MAX_CALLS_PER_USER: boundSetting(40),
  MAX_CALLS_PER_ORG: boundSetting(120),
  /** Bounds the sub-agents below one message; 0 for no limit. */
  MAX_SUB_AGENTS_PER_TREE: boundSetting(200),
  /** The days for which entries of project logs are kept; 0 for ever. */
  PROJECT_LOG_DAYS: boundSetting(365),
  /**
   * The folder of all data of the embedded parts; it contains the chats' workspaces unless they have a folder of their
   * own.
   */
  EVERTURN_HOME: givenOr(z.string().default('.everturn')),
  WORKSPACE_DIR: givenOr(z.string().optional()),
  /** The operator's file of prices of models. */
  PRICES_FILE: givenOr(z.string().optional()),
  ...sandboxSettings,
  ...cliSettings,
  /** Written every five seconds while the worker responds. */
  HEALTH_FILE: givenOr(z.string().optional()),
  /** Where the worker serves metrics; nowhere unless given. */
  WORKER_METRICS_ADDRESS: givenOr(z.string().refine(isListenAddress, LISTEN_ADDRESS).optional()),
});

function isListenAddress(text: string): boolean {
  const { v4, v6, port } = /^(?:(?<v4>[\d.]+)|\[(?<v6>[\da-f:.]+)\]):(?<port>\d{1,5})$/i.exec(text)?.groups ?? {};
  const isAddress = v4 === undefined ? ipaddr.IPv6.isValid(v6 ?? '') : ipaddr.IPv4.isValidFourPartDecimal(v4);
  return isAddress && Number(port) >= 1 && Number(port) <= 65_535;
}

function parseCliProviders(list: string): readonly CliProvider[] {
  const names = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (!names.every(isCliProvider)) throw new Error(`must be names out of ${CLI_PROVIDERS.join(', ')}`);
  return [...new Set(names)];
}
