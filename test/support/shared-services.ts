import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

/**
 * What the whole test run shares: one PostgreSQL, at whose address one is told how to reach it, the Temporal binary,
 * bubblewrap, and Chromium.
 */
const sharedServicesSchema = z.object({
  postgresAt: z.url(),
  temporalBinary: z.string(),
  bwrap: z.union([z.object({ path: z.string() }), z.object({ missing: z.string() })]),
  chromium: z.union([z.object({ path: z.string() }), z.object({ missing: z.string() })]),
});

/** A PostgreSQL with a migrated template: for the service, for the owner of its databases and for a superuser. */
const sharedPostgresSchema = z.object({ url: z.url(), ownerUrl: z.url(), adminUrl: z.url() });

export type SharedServices = z.output<typeof sharedServicesSchema>;
export type SharedPostgres = z.output<typeof sharedPostgresSchema>;

export const TEMPLATE_DATABASE = 'everturn_template';

const VARIABLE = 'EVERTURN_TEST_SERVICES';

/** Hands the services of the run to its test files. */
export function publishSharedServices(services: SharedServices): void {
  process.env[VARIABLE] = JSON.stringify(services);
}

/** Returns the services that the run's global set-up has found. */
export function sharedServices(): SharedServices {
  const found = process.env[VARIABLE];
  if (found === undefined) throw new Error('the global set-up of the tests has not run');
  return sharedServicesSchema.parse(JSON.parse(found));
}

let postgres: Promise<SharedPostgres> | undefined;

/** Returns the PostgreSQL of the run. It is started for the first file that asks. */
export async function sharedPostgres(): Promise<SharedPostgres> {
  return (postgres ??= askForPostgres());
}

async function askForPostgres(): Promise<SharedPostgres> {
  // Not by `fetch`, which a test may have replaced.
  const [response] = (await once(get(sharedServices().postgresAt), 'response')) as [IncomingMessage];
  const answer = await text(response);
  if (response.statusCode !== 200) throw new Error(answer);
  return sharedPostgresSchema.parse(JSON.parse(answer));
}

/** Returns the same server's URL with another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}
