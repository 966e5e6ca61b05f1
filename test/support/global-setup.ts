import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../../db/orm/migrations.ts';
import { findTemporal } from '../../scripts/stack/temporal/command/find-temporal.ts';
import { startPostgres } from '../../scripts/stack/postgres/start-postgres.ts';
import { findTestChromium } from './find-test-chromium.ts';
import { findTestBwrap } from './find-test-bwrap.ts';
import { freePort } from './free-port.ts';
import { publishSharedServices, TEMPLATE_DATABASE, withDatabase } from './shared-services.ts';
import { rememberTeardown } from './teardown.ts';

/** The data of a run is thrown away. What survives a crash is tested with the servers of `npm start`. */
const WITHOUT_DURABILITY = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };

/** Starts what all test files share. */
export default async function setUp(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'everturn-test-'));
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const { path: temporalBinary } = await findTemporal({ say });
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    port: await freePort(),
    log: () => undefined,
    settings: WITHOUT_DURABILITY,
  });
  rememberTeardown({ folder, stop: () => postgres.stop() });
  const client = new pg.Client({ connectionString: postgres.ownerUrl });
  await client.connect();
  await client.query(`create database ${TEMPLATE_DATABASE}`);
  await client.end();
  await migrate(withDatabase(postgres.ownerUrl, TEMPLATE_DATABASE));
  publishSharedServices({
    postgresUrl: postgres.url,
    postgresOwnerUrl: postgres.ownerUrl,
    postgresAdminUrl: postgres.adminUrl,
    temporalBinary,
    bwrap: await findTestBwrap(),
    chromium: await findTestChromium(),
  });
}
