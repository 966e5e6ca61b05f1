import type { z } from 'zod';
import { readSettings, sharedSettings } from '../../domain/settings/index.ts';

const schema = sharedSettings.pick({ DATABASE_URL: true });

/** Reads the settings of the migration. Invalid ones end the process with a message that names each. */
export function databaseEnv(): z.output<typeof schema> {
  const read = readSettings(schema, process.env);
  if ('settings' in read) return read.settings;
  process.stderr.write(`Invalid settings:\n${read.issues.join('\n')}\n`);
  return process.exit(1);
}
