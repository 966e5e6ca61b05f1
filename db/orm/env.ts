import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { settingsOf, sharedSettings } from '../../domain/settings/settings.ts';

const schema = sharedSettings.pick({ DATABASE_URL: true });

/** Reads the settings of the migration. Invalid ones end the process with a message that names each. */
export function databaseEnv(): z.output<typeof schema> {
  return settingsOf(schema, process, readFileSync);
}
