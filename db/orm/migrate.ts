import { databaseEnv } from './env.ts';
import { FormerSchema, migrate } from './migrations.ts';

try {
  const done = await migrate(databaseEnv().DATABASE_URL);
  const words = done.length === 0 ? 'The schema is up to date' : `The schema was migrated: ${done.join(', ')}`;
  process.stdout.write(`${words}\n`);
} catch (error) {
  if (!(error instanceof FormerSchema)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
