import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { Database } from '../db/core/database.ts';
import { isDatabaseAway } from '../db/core/unavailable.ts';
import { readInstallation } from '../db/installation.ts';
import { checkNamespace, NamespaceTaken } from '../workflows/housekeeping/client.ts';
import { once } from 'node:events';
import { readMcpCatalog } from '../definition-files/index.ts';
import { readFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { createLog, endOnError } from '../telemetry/log.ts';
import { Outage } from '../telemetry/outage.ts';
import { startTracing } from '../telemetry/start-tracing.ts';
import { connectDatabase } from '../db/orm/connect.ts';
import { FOLLOW_FAILED } from '../db/orm/follow-consequences.ts';
import { notMigrated, pendingMigrations } from '../db/migrations/pending-migrations.ts';
import { publicUrl } from '../domain/settings/public-url.ts';
import { apiSettings, settingsOf } from '../domain/settings/settings.ts';
import { temporalConnection } from '../domain/settings/temporal-connection.ts';
import { logSetupToken } from './auth/register.ts';
import { CLIENT_CONNECTION, isTemporalAway, probeTemporal, shareByPayer } from '../workflows/core/client.ts';
import { CONSOLE_OF_CODE } from './console/serve-console.ts';
import { createServerOf } from './server.ts';

/** How often it is asked whose the namespace is: while Temporal has not said, and afterwards, in milliseconds. */
const UNKNOWN_MS = 5_000;
const KNOWN_MS = 60_000;

/**
 * Throws `NamespaceTaken` as soon as Temporal says that the namespace belongs to another installation. Waits for
 * Temporal where it is away; ends when `stop` aborts.
 */
async function watchClaim(
  { database, temporal }: { readonly database: Database; readonly temporal: Client },
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    const pauseMs = (await isAnswered(database, temporal)) ? KNOWN_MS : UNKNOWN_MS;
    await sleep(pauseMs, undefined, { signal: stop, ref: false }).catch(() => undefined);
  }
}

async function isAnswered(database: Database, temporal: Client): Promise<boolean> {
  try {
    await checkNamespace(temporal, await readInstallation(database));
    return true;
  } catch (error) {
    if (error instanceof NamespaceTaken) throw error;
    return false;
  }
}

const STOP_LIMIT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 5_000;
/** Above the time of a statement, by what the way to PostgreSQL and back takes, and a busy process. */
const RESPONSE_LIMIT_MS = 8_000;

const env = settingsOf(apiSettings, process, readFileSync);
const databaseOutage = new Outage({ name: 'the database', isMeant: isDatabaseAway });
const temporalOutage = new Outage({ name: 'Temporal', isMeant: isTemporalAway });
const outages = [databaseOutage, temporalOutage];
const log = createLog({ level: env.LOG_LEVEL, name: 'api', outages });
endOnError(log, outages);
const stopTracing = await startTracing('everturn-api', env);

const database = await connectDatabase({
  url: env.DATABASE_URL,
  statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  responseLimitMs: RESPONSE_LIMIT_MS,
  onFailure: (error) => log.warn({ err: error }, FOLLOW_FAILED),
});
const pending = await pendingMigrations(database);
if (pending.length > 0) {
  log.fatal(notMigrated(pending));
  process.exit(1);
}
// Lazy, because messages are also accepted while Temporal is down.
const connection = Connection.lazy({
  address: env.TEMPORAL_ADDRESS,
  ...temporalConnection(env, readFileSync),
  ...CLIENT_CONNECTION,
});
const temporal = new Client({
  connection,
  namespace: env.TEMPORAL_NAMESPACE,
  interceptors: { workflow: [shareByPayer((orgId) => database.payers.known(orgId))] },
});
databaseOutage.watch(async () => database.system.query('select 1'));
temporalOutage.watch(async () => probeTemporal(temporal));
const stopped = new AbortController();
// Not waited for: it may take until Temporal is back.
void watchClaim({ database, temporal }, stopped.signal).catch(refuseNamespace);
const server = await createServerOf({
  database,
  temporal,
  secretKeys: env.SECRET_KEY,
  privateHosts: env.ALLOW_PRIVATE_HOSTS,
  registration: env.REGISTRATION,
  publicUrl: publicUrl(env),
  hostNames: new Set([env.HOST.toLowerCase(), ...env.ALLOWED_HOSTS]),
  trustedProxies: env.TRUSTED_PROXIES,
  corsOrigins: env.CORS_ORIGINS,
  orgLimits: env.ORG_LIMITS,
  approvalWaitDays: env.APPROVAL_WAIT_DAYS,
  deletedChatDays: env.DELETED_CHAT_DAYS,
  catalogDir: env.CATALOG_DIR,
  mcpCatalog: readMcpCatalog(env.MCP_CATALOG),
  marketplaceIndexes: env.MARKETPLACE_INDEXES,
  filesAt: env.FILES_URL,
  workspaces: env.WORKSPACES,
  temporalUiUrl: env.TEMPORAL_UI_URL,
  metricsToken: env.METRICS_TOKEN,
  consoleDir: env.CONSOLE_DIR ?? CONSOLE_OF_CODE,
  log,
  requestRates: {
    perUser: env.API_RATE_LIMIT,
    perKey: env.API_RATE_LIMIT_KEY,
    perAddress: env.API_RATE_LIMIT_ADDRESS,
    perWebhook: env.API_RATE_LIMIT_WEBHOOK,
  },
});

const { setupToken } = server;
await logSetupToken({ registration: env.REGISTRATION, setupToken, publicUrl: publicUrl(env), log });
server.http.listen(env.PORT, env.HOST);
await once(server.http, 'listening');
// Node itself writes the cache at exit only; a process that is killed would compile again at its next start.
flushCompileCache();
log.info({ address: server.http.address() }, 'api is ready');

// The parent process checks regularly whether this one responds and can be reached.
process.on('message', (message) => {
  if (message === 'ping' && server.http.listening) process.send?.('pong');
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopped.abort());
// The parent process is gone, so nobody would stop this one later.
process.once('disconnect', () => stopped.abort());
await once(stopped.signal, 'abort');
// Health checks fail from here on, which the process's supervisor notices.
process.send?.('stopping');

// Bounds the shutdown, so that the parent knows when the end comes, whatever hangs.
setTimeout(() => {
  log.fatal(
    { open: process.getActiveResourcesInfo() },
    `api has not stopped within ${STOP_LIMIT_MS / 1000} s: giving up`,
  );
  process.exit(1);
}, STOP_LIMIT_MS).unref();
for (const outage of outages) outage.close();
await server.close();
await connection.close();
await database.close();
await stopTracing();
if (process.connected) process.disconnect();
log.info('api has stopped');

/** Ends the process, whose work the workers of another installation would do, with a sentence. */
function refuseNamespace(error: unknown): never {
  log.fatal(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
