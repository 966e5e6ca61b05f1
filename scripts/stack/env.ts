import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { z } from 'zod';

import { apiSettings, readSettings, type SettingsRead, workerSettings } from '../../domain/settings/settings.ts';
import { namesOfTemporalConnection } from '../../domain/settings/temporal-connection.ts';
import { readSettingFiles } from '../../domain/settings/setting-files.ts';
import { checkout } from './core/files.ts';

const PORT = 'must be a port from 1 to 65535';
const port = z.coerce.number(PORT).int(PORT).min(1, PORT).max(65_535, PORT).optional();

const services = apiSettings.extend(workerSettings.shape);
const { DATABASE_URL, EVERTURN_HOME, SECRET_KEY, TEMPORAL_ADDRESS } = services.shape;

/** The settings of `npm start`: those of the api and the worker, and its own (docs/settings.md). */
export const startSettings = services.extend({
  // Chosen or provided here unless given.
  PORT: port,
  DATABASE_URL: DATABASE_URL.optional(),
  TEMPORAL_ADDRESS: TEMPORAL_ADDRESS.optional(),
  SECRET_KEY: SECRET_KEY.optional(),
  EVERTURN_HOME: EVERTURN_HOME.transform((path) => resolve(checkout, path)),
  /** The address of the same database for its owner, as whom migrations run. */
  MIGRATION_DATABASE_URL: DATABASE_URL.optional(),
  POSTGRES_PORT: port,
  TEMPORAL_PORT: port,
  TEMPORAL_UI_PORT: port,
  /** The path of a Temporal command, which `findTemporal` uses. */
  TEMPORAL_CLI: z.string().optional(),
});

/** The settings of `npm start`, complete with their defaults. */
export type Settings = z.output<typeof startSettings>;

/**
 * Reads the settings of `npm start` from the environment, or names every fault, a line each: also those for which the
 * api or the worker would refuse to start.
 */
export function readStartSettings(env: NodeJS.ProcessEnv): SettingsRead<typeof startSettings> {
  // Empty text counts as not given, as in the services.
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  // Who starts it on one machine wants to try it; in production people are invited.
  const REGISTRATION = set['NODE_ENV'] === 'production' ? 'invite' : 'open';
  const { given } = readSettingFiles(Object.keys(startSettings.shape), set, readFileSync);
  const read = readSettings(startSettings, { REGISTRATION, ...given }, readFileSync);
  const issues = [...('issues' in read ? read.issues : []), ...conflictsOf(given)];
  return issues.length > 0 ? { issues } : read;
}

/** Names the settings that do not go together with others. */
function conflictsOf(given: Readonly<Record<string, string | undefined>>): string[] {
  const { DATABASE_URL: database, TEMPORAL_ADDRESS: temporal, TEMPORAL_UI_PORT: uiPort } = given;
  const ports = [
    'PORT',
    ...(database === undefined ? ['POSTGRES_PORT'] : []),
    ...(temporal === undefined ? ['TEMPORAL_PORT'] : []),
    'TEMPORAL_UI_PORT',
  ];
  return [
    ...(temporal === undefined ? namesOfTemporalConnection(given) : []).map(
      (name) => `${name}: is for a server of your own, which TEMPORAL_ADDRESS has to name`,
    ),
    ...(temporal === undefined || uiPort === undefined
      ? []
      : ['TEMPORAL_UI_PORT: is for the embedded server; a server of your own has a UI of its own']),
    ...ports.flatMap((name, at) => {
      const earlier = ports.slice(0, at).find((other) => Number(given[other]) === Number(given[name]));
      return earlier === undefined ? [] : [`${name}: must differ from ${earlier} (${given[name]})`];
    }),
  ];
}
