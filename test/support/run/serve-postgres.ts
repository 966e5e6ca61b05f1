import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type Postgres, startPostgres } from '../../../scripts/stack/postgres/start-postgres.ts';
import { freePort } from '../free-port.ts';
import { type SharedPostgres, TEMPLATE_DATABASE, withDatabase } from '../shared-services.ts';

/** The data of a run is thrown away. What survives a crash is tested with the servers of `npm start`. */
const WITHOUT_DURABILITY = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };
/** The apis that files share keep the connections of their pools. */
const MAX_CONNECTIONS = '400';

let server: Server | undefined;
let started: Promise<Postgres> | undefined;
let folder: string | undefined;

/** Serves the addresses of a PostgreSQL with a migrated template, which is started when it is first asked for. */
export async function servePostgres(): Promise<string> {
  server = createServer((_request, response) => {
    started ??= start();
    started.then(
      ({ url, ownerUrl, adminUrl }) =>
        response.end(JSON.stringify({ url, ownerUrl, adminUrl } satisfies SharedPostgres)),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.stack : String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Stops the server, if it was started, and removes its data. */
export async function endPostgres(): Promise<void> {
  server?.closeAllConnections();
  server?.close();
  await started?.then(
    (postgres) => postgres.stop(),
    () => undefined,
  );
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}

async function start(): Promise<Postgres> {
  folder = mkdtempSync(join(tmpdir(), 'everturn-test-'));
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    port: await freePort(),
    log: () => undefined,
    settings: { ...WITHOUT_DURABILITY, max_connections: MAX_CONNECTIONS },
  });
  const client = new pg.Client({ connectionString: postgres.ownerUrl });
  await client.connect();
  await client.query(`create database ${TEMPLATE_DATABASE}`);
  await client.end();
  // Half a second of loading, which a run that needs no database spares.
  const { migrate } = await import('../../../db/orm/migrations.ts');
  await migrate(withDatabase(postgres.ownerUrl, TEMPLATE_DATABASE));
  return postgres;
}
