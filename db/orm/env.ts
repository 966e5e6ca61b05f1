import { z } from 'zod';

/** The environment of the migration; throws naming every faulty variable. */
export function databaseEnv() {
  return z.object({ DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }) }).parse(process.env);
}
