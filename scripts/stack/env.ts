import { resolve } from 'node:path';

import { z } from 'zod';

import {
  apiSettings,
  namesOfTemporalConnection,
  temporalConnectionSettings,
  workerSettings,
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

/** The settings of the api and the worker, and what they need that is found or started here. */
const partSettings = apiSettings.extend(workerSettings.shape);
const PROVIDED = {
  DATABASE_URL: 'postgres://provided/everturn',
  TEMPORAL_ADDRESS: 'provided:7233',
  SECRET_KEY: 'a key that is made at the first start',
};

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
    SECRET_KEY: z.string().optional(),
    REGISTRATION: z.string().optional(),
    PUBLIC_URL: z.string().optional(),
    LOG_LEVEL: z.string().optional(),
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
 * Reads the settings from the environment, or names all faults at once, a sentence each: those of `npm start`, and
 * those for which the api or the worker would refuse to start. Values are never repeated.
 */
export function readSettings(env: NodeJS.ProcessEnv): { settings: Settings } | { faults: string[] } {
  // An empty variable means the same as none, as in compose files.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const result = schema.safeParse(given);
  const ofParts = partSettings.safeParse({ ...PROVIDED, ...given });
  if (result.success && ofParts.success) return { settings: result.data };
  const faults = new Map<string, string>();
  for (const { path, message } of [...(result.error?.issues ?? []), ...(ofParts.error?.issues ?? [])]) {
    const name = path.join('.');
    if (!faults.has(name)) faults.set(name, `${name} ${message}.`);
  }
  return { faults: [...faults.values()] };
}

function isPostgresUrl(text: string): boolean {
  return (
    URL.canParse(text) && ['postgres:', 'postgresql:'].includes(new URL(text).protocol) && new URL(text).hostname !== ''
  );
}
