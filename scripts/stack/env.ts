import { resolve } from 'node:path';

import { z } from 'zod';

import { entriesOf } from '../../domain/core/objects/entries-of.ts';
import { parseMarketplaceIndexes } from '../../domain/marketplace/index.ts';
import { parseHostNames, parseOrigins, parseTrustedProxies } from '../../domain/network/index.ts';
import { parseFilesLocation } from '../../domain/files/index.ts';
import { parseOrgLimits } from '../../domain/orgs/index.ts';
import {
  DURATION_MESSAGE,
  namesOfTemporalConnection,
  parsedSetting,
  parseDuration,
  sandboxSettings,
  temporalConnectionSettings,
} from '../../domain/settings/index.ts';
import { checkout } from './core/checkout.ts';

const port = z.coerce
  .number('must be a port')
  .int('must be a port')
  .min(1, 'must be a port from 1 to 65535')
  .max(65_535, 'must be a port from 1 to 65535')
  .optional();
const hostAndPort = /^(\[[0-9a-fA-F:.]+\]|[^\s:,[\]]+):(\d{1,5}|\*)$/;

const databaseUrl = z
  .string()
  .refine(isPostgresUrl, 'must be like postgres://user:password@host:5432/database')
  .optional();
const duration = z
  .string()
  .refine((text) => parseDuration(text) !== undefined, DURATION_MESSAGE)
  .optional();
const requestRate = z.coerce.number('must be a number').int().min(0).max(10_000_000).optional();
const seconds = z.coerce.number('must be a number').positive().max(86_400).optional();
const days = z.coerce.number('must be a number').positive().max(3_650).optional();
const bound = z.coerce.number('must be a number').int().min(0).max(1_000_000).optional();

const schema = z
  .object({
    PORT: port,
    HOST: z
      .string()
      .regex(/^[\w.:-]+$/, 'must be a host name or address')
      .default('127.0.0.1'),
    EVERTURN_HOME: z
      .string()
      .default('.everturn')
      .transform((path) => resolve(checkout, path)),
    POSTGRES_PORT: port,
    TEMPORAL_PORT: port,
    TEMPORAL_UI_PORT: port,
    DATABASE_URL: databaseUrl,
    MIGRATION_DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: z.string().regex(hostAndPort, 'must be like host:7233').optional(),
    TEMPORAL_NAMESPACE: z
      .string()
      .regex(/^[\w.-]+$/, 'may hold letters, digits, dots, dashes and underscores')
      .default('default'),
    ...temporalConnectionSettings,
    SECRET_KEY: z.string().min(32, 'must have at least 32 characters').optional(),
    REGISTRATION: z.enum(['open', 'invite', 'closed'], 'must be open, invite or closed').optional(),
    ALLOW_PRIVATE_HOSTS: z
      .string()
      .refine(
        (list) => entriesOf(list).every((entry) => hostAndPort.test(entry)),
        'must be a comma-separated list of host:port, the port may be *',
      )
      .optional(),
    PUBLIC_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
    TRUSTED_PROXIES: parsedSetting(parseTrustedProxies),
    ALLOWED_HOSTS: parsedSetting(parseHostNames),
    CORS_ORIGINS: parsedSetting(parseOrigins),
    METRICS_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
    LOG_LEVEL: z
      .enum(
        ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
        'must be trace, debug, info, warn, error, fatal or silent',
      )
      .optional(),
    ORG_LIMITS: parsedSetting(parseOrgLimits),
    FILES_URL: parsedSetting(parseFilesLocation),
    WORKSPACES: z.enum(['local', 'shared'], 'must be local or shared').optional(),
    MARKETPLACE_INDEXES: parsedSetting(parseMarketplaceIndexes),
    API_RATE_LIMIT: requestRate,
    API_RATE_LIMIT_KEY: requestRate,
    API_RATE_LIMIT_ADDRESS: requestRate,
    API_RATE_LIMIT_WEBHOOK: requestRate,
    MODEL_FIRST_BYTE_TIMEOUT: seconds,
    MODEL_IDLE_TIMEOUT: seconds,
    MODEL_TOTAL_TIMEOUT: seconds,
    PROVIDER_WAIT_MAX: duration,
    APPROVAL_WAIT_DAYS: days,
    SUB_AGENT_TIMEOUT: duration,
    MAX_TURNS_PER_USER: bound,
    MAX_TURNS_PER_ORG: bound,
    MAX_CALLS_PER_USER: bound,
    MAX_CALLS_PER_ORG: bound,
    MAX_SUB_AGENTS_PER_TREE: bound,
    PROJECT_LOG_DAYS: bound,
    DELETED_CHAT_DAYS: bound,
    ...sandboxSettings,
  })
  .superRefine((value, context) => {
    if (value.TEMPORAL_ADDRESS === undefined) {
      for (const name of namesOfTemporalConnection(value)) {
        const message = 'is for a server of your own: it needs TEMPORAL_ADDRESS';
        context.addIssue({ code: 'custom', path: [name], message });
      }
    } else if (value.TEMPORAL_UI_PORT !== undefined) {
      const message = 'is for the embedded server: a server of your own has a UI of its own';
      context.addIssue({ code: 'custom', path: ['TEMPORAL_UI_PORT'], message });
    }
    const ports = [
      ['PORT', value.PORT] as const,
      ...(value.DATABASE_URL === undefined ? [['POSTGRES_PORT', value.POSTGRES_PORT] as const] : []),
      ...(value.TEMPORAL_ADDRESS === undefined ? [['TEMPORAL_PORT', value.TEMPORAL_PORT] as const] : []),
      ['TEMPORAL_UI_PORT', value.TEMPORAL_UI_PORT] as const,
    ];
    for (const [at, [name, number]] of ports.entries()) {
      const earlier = ports.slice(0, at).find(([, other]) => number !== undefined && other === number);
      if (earlier !== undefined)
        context.addIssue({ code: 'custom', path: [name], message: `must differ from ${earlier[0]} (${number})` });
    }
  });

/** The settings of `npm start`, complete with what holds when the environment says nothing. */
export type Settings = z.output<typeof schema>;

/**
 * Reads the settings from the environment, or names all its faults at once, a sentence each. Values are never repeated.
 */
export function readSettings(env: NodeJS.ProcessEnv): { settings: Settings } | { faults: string[] } {
  // An empty variable means the same as none, as in compose files.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const result = schema.safeParse(given);
  if (result.success) return { settings: result.data };
  return { faults: result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}.`) };
}

function isPostgresUrl(text: string): boolean {
  return (
    URL.canParse(text) && ['postgres:', 'postgresql:'].includes(new URL(text).protocol) && new URL(text).hostname !== ''
  );
}
