import { readFileSync } from 'node:fs';
import { settingsOf, sharedSettings } from '../../domain/settings/settings.ts';
import { FormerSchema, migrate } from './migrations.ts';

const { DATABASE_URL } = settingsOf(sharedSettings.pick({ DATABASE_URL: true }), process, readFileSync);
try {
  const done = await migrate(DATABASE_URL);
  const words = done.length === 0 ? 'The schema is up to date' : `The schema was migrated: ${done.join(', ')}`;
  process.stdout.write(`${words}\n`);
} catch (error) {
  if (!(error instanceof FormerSchema)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
