import { databaseEnv } from './env.ts';
import { FormerSchema, migrate } from './migrations.ts';

try {
  await migrate(databaseEnv().DATABASE_URL);
} catch (error) {
  if (!(error instanceof FormerSchema)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
