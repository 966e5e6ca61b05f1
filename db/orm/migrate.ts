import { databaseEnv } from './env.ts';
import { migrate } from './migrations.ts';

await migrate(databaseEnv().DATABASE_URL);
