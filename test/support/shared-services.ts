import { z } from 'zod';

/**
 * The services that the whole test run shares: one PostgreSQL with a migrated template, for the service, for the owner
 * of its databases and for a superuser, the Temporal binary, bubblewrap, and Chromium.
 */
const sharedServicesSchema = z.object({
  postgresUrl: z.url(),
  postgresOwnerUrl: z.url(),
  postgresAdminUrl: z.url(),
  temporalBinary: z.string(),
  bwrap: z.union([z.object({ path: z.string() }), z.object({ missing: z.string() })]),
  chromium: z.union([z.object({ path: z.string() }), z.object({ missing: z.string() })]),
});

export type SharedServices = z.output<typeof sharedServicesSchema>;

export const TEMPLATE_DATABASE = 'everturn_template';

const VARIABLE = 'EVERTURN_TEST_SERVICES';

/** Hands the services of the run to its test files. */
export function publishSharedServices(services: SharedServices): void {
  process.env[VARIABLE] = JSON.stringify(services);
}

/** Returns the services that the run's global set-up has started. */
export function sharedServices(): SharedServices {
  const text = process.env[VARIABLE];
  if (text === undefined) throw new Error('the global set-up of the tests has not run');
  return sharedServicesSchema.parse(JSON.parse(text));
}

/** Returns the same server's URL with another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}
