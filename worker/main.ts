import { LRUCache } from 'lru-cache';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { createLog, endOnError } from '../telemetry/log.ts';
import { Outage } from '../telemetry/outage.ts';
import { startTracing } from '../telemetry/start-tracing.ts';
import { createActivities } from '../activities/index.ts';
import { HeadStarts, listenToTurns } from '../activities/turns/runs/head-starts.ts';
import { RunningTurns } from '../activities/turns/runs/running-turns.ts';
import { TurnMemory } from '../activities/turns/transcript/turn-transcript.ts';
import { TurnRuns } from '../activities/turns/runs/turn-runs.ts';
import { createGuardedFetch } from '../activities/core/network/guarded-fetch.ts';
import { Browser } from '../activities/sandbox/browser/browser.ts';
import { Sandbox, type SandboxState } from '../activities/sandbox/sandbox.ts';
import { createGuardedHttp } from '../activities/core/network/guarded-http.ts';
import { GoogleTokens } from '../activities/core/google-tokens.ts';
import { McpClient } from '../activities/mcp-servers/mcp-client.ts';
import { McpPrograms } from '../activities/mcp-servers/mcp-programs.ts';
import { McpSessions } from '../activities/mcp-servers/mcp-sessions.ts';
import { freeBytesOf } from '../activities/tools/workspace/quota.ts';
import { LocalCopies } from '../activities/tools/workspace/travel/local-copies.ts';
import { signIn } from '../activities/tools/operations/connections/open-connections.ts';
import { AccountSignIn } from '../activities/llm/sign-in.ts';
import { AccountUse } from '../activities/llm/model-candidates.ts';
import { createAdapters } from '../activities/llm/adapters.ts';
import { createEmbed } from '../activities/llm/embed-texts.ts';
import { createListOfferedModels } from '../activities/llm/list-offered-models.ts';
import { createMediaCall } from '../activities/llm/media.ts';
import { createTryModel } from '../activities/llm/try-model.ts';
import { InstalledClis } from '../activities/llm/cli/installed-clis.ts';
import { SignedInAccounts } from '../activities/llm/cli/signed-in-accounts.ts';
import { modelPrice, providerCatalog, readShippedDefinitions } from '../builtin/index.ts';
import { advanceRun } from '../db/agent-workflows/decisions/decide-run.ts';
import { isDatabaseAway } from '../db/core/unavailable.ts';
import { SecretBox } from '../db/core/secret-box.ts';
import { Definitions } from '../db/definitions/definitions.ts';
import { connectDatabase } from '../db/orm/connect.ts';
import { FOLLOW_FAILED } from '../db/orm/follow-consequences.ts';
import { notMigrated, pendingMigrations } from '../db/migrations/pending-migrations.ts';
import { scheduleRows } from '../db/schedules/firing/applied.ts';
import { readInstallation } from '../db/installation.ts';
import type { WorkerReport } from '../db/workers.ts';
import { TurnPublisher } from '../db/stream/turn-publisher.ts';
import type { ScheduleKey } from '../domain/core/due-work.ts';
import { ShippedDefinitions } from '../domain/definitions/definition.ts';
import { retryAtStart } from '../domain/core/promises.ts';
import type { FindPrice } from '../domain/prices.ts';
import { installMeter } from '../domain/telemetry/meter.ts';
import { publicUrl } from '../domain/settings/public-url.ts';
import { settingsOf, workerSettings } from '../domain/settings/settings.ts';
import { temporalConnection } from '../domain/settings/temporal-connection.ts';
import type { Lacking } from '../domain/tools/needs.ts';
import { FileStores } from '../files/file-stores.ts';
import { createTemporalWorker, installRuntime, isRetriedCall } from './temporal-worker.ts';
import { CLIENT_CONNECTION, isTemporalAway, probeTemporal, shareByPayer } from '../workflows/core/client.ts';
import { resetFailing } from '../workflows/resets/client.ts';
import { NamespaceTaken, startOrgPurge } from '../workflows/housekeeping/client.ts';
import { DUE_WORK_FAILED, DueWorkQueue } from '../workflows/due-work/client.ts';
import { findTemporalSchedule, listTemporalSchedules, removeTemporalSchedule } from '../workflows/schedules/client.ts';
import { ConversationStarter } from './conversation-starter.ts';
import { readMcpCatalog, readPriceFile } from '../definition-files/index.ts';
import { keepTouching, reportProcess } from './health.ts';
import { createSdkMeter } from './sdk-meter.ts';
import { type PeriodicJob, runPeriodicJobs } from './periodic-jobs.ts';
import { TurnRecovery } from './turn-recovery.ts';
import { reportUnreadableSecrets } from './unreadable-secrets.ts';
import { watchNamespace } from './watch-namespace.ts';
import { fingerprint } from './workflow-bundle.ts';

const STOP_LIMIT_MS = 10_000;

const env = settingsOf(workerSettings, process, readFileSync);
const databaseOutage = new Outage({ name: 'the database', isMeant: isDatabaseAway });
const temporalOutage = new Outage({
  name: 'Temporal',
  isMeant: (error, message) => isTemporalAway(error) || isRetriedCall(message),
});
const outages = [databaseOutage, temporalOutage];
const log = createLog({ level: env.LOG_LEVEL, name: 'worker', outages });
endOnError(log, outages);
const stopTracing = await startTracing('everturn-worker', env);
const providerTypes = providerCatalog.map(({ key }) => key);
const operatorPrices = readPriceFile(env.PRICES_FILE, providerTypes);
const findPrice: FindPrice = (providerType, model) => modelPrice(operatorPrices, providerType, model);
try {
  installRuntime(log, env.WORKER_METRICS_ADDRESS);
  if (env.WORKER_METRICS_ADDRESS !== undefined) installMeter(createSdkMeter());
} catch (error) {
  log.fatal(`WORKER_METRICS_ADDRESS: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

const database = await connectDatabase({
  url: env.DATABASE_URL,
  onFailure: (error) => log.warn({ err: error }, FOLLOW_FAILED),
});
const pending = await retryAtStart(async () => pendingMigrations(database));
if (pending.length > 0) {
  log.fatal(notMigrated(pending));
  process.exit(1);
}
const temporal = { address: env.TEMPORAL_ADDRESS, ...temporalConnection(env, readFileSync) };
const connection = await retryAtStart(async () => NativeConnection.connect(temporal));
const clientConnection = await retryAtStart(async () => Connection.connect({ ...temporal, ...CLIENT_CONNECTION }));
const guarded = createGuardedFetch(env.ALLOW_PRIVATE_HOSTS, {
  onBlocked: (blocked) => log.warn(blocked, 'a call to a name that leads to a private address was blocked'),
});
const publisher = new TurnPublisher(database, (error) =>
  log.warn({ err: error }, 'turn events are waiting for the database'),
);
const runningTurns = new RunningTurns(database, (error) => log.warn({ err: error }, 'interrupts could not be read'));
const runs = new TurnRuns({
  database,
  runner: randomUUID(),
  onFailure: (error) => log.warn({ err: error }, 'the leases of turns could not be renewed or released'),
});

const interceptors = { workflow: [shareByPayer((orgId) => database.payers.known(orgId))] };
const client = new Client({ connection: clientConnection, namespace: env.TEMPORAL_NAMESPACE, interceptors });
databaseOutage.watch(async () => database.system.query('select 1'));
temporalOutage.watch(async () => probeTemporal(client));
const installation = await readInstallation(database);
const { name, run } = watchNamespace(installation);
const namespace: PeriodicJob = { name, run: async (deps) => run(deps).catch(refuseNamespace) };
await retryAtStart(async () => namespace.run({ database, client }));
const dueWork = new DueWorkQueue({
  client,
  schedules: scheduleRows(database),
  payerOf: (orgId) => database.payers.known(orgId),
  onFailure: (error, work) => {
    log.warn({ err: error, work }, DUE_WORK_FAILED);
    // The row of its turn is due.
    if (work.kind === 'chat') recovery.expectDue();
  },
});
database.onDueWork((work) => dueWork.add(work));
const workspaceRoot = resolve(env.WORKSPACE_DIR ?? join(env.EVERTURN_HOME, 'workspaces'));
const box = new SecretBox(env.SECRET_KEY);
await reportUnreadableSecrets(database, box, log);
const files = await FileStores.open(database, env.FILES_URL);
const copies = new LocalCopies({ root: workspaceRoot, database, files });
const workspaceCopies = env.WORKSPACES === 'local' ? copies : undefined;
const callLimits = {
  firstByteMs: env.MODEL_FIRST_BYTE_TIMEOUT * 1000,
  idleMs: env.MODEL_IDLE_TIMEOUT * 1000,
  totalMs: env.MODEL_TOTAL_TIMEOUT * 1000,
};
const http = createGuardedHttp(guarded.fetch);
const signIns = new AccountSignIn(new GoogleTokens({ http }));
const accountUse = new AccountUse();
const embed = createEmbed(guarded.requestStream, callLimits, signIns);
const shipped = readShippedDefinitions({
  catalogDir: env.CATALOG_DIR,
  onFaulty: (faulty) => log.warn(faulty, 'a definition in CATALOG_DIR was left out'),
});
const definitions = new Definitions(database, new ShippedDefinitions(shipped));
const engine = {
  database,
  definitions,
  log,
  publisher,
  runningTurns,
  turnBounds: { perUser: env.MAX_TURNS_PER_USER, perOrg: env.MAX_TURNS_PER_ORG },
};
const approvalWaitMs = env.APPROVAL_WAIT_DAYS * 24 * 3_600_000;
const runDeps = { database, orgLimits: env.ORG_LIMITS, approvalWaitMs, log };
const sandbox = await Sandbox.open(
  {
    mode: env.SANDBOX,
    bwrap: env.SANDBOX_BWRAP,
    uid: env.SANDBOX_UID,
    concurrency: env.SANDBOX_CONCURRENCY,
    payers: database.payers,
    connect: env.SANDBOX_NETWORK === 'gateway' ? guarded.connect : undefined,
    limits: { memory: env.SANDBOX_MEMORY, processes: env.SANDBOX_PIDS, temporary: env.SANDBOX_TMP },
  },
  (state) => logSandbox(state),
);
const clis = new InstalledClis({
  offered: env.CLI_PROVIDERS,
  paths: { 'claude-code': env.CLAUDE_CODE_BIN, codex: env.CODEX_BIN, 'gemini-cli': env.GEMINI_CLI_BIN },
  payers: database.payers,
  sandbox,
  connect: guarded.connect,
});
const accounts = new SignedInAccounts({ database, box });
const findAdapter = createAdapters(guarded.requestStream, callLimits, { signIns, cli: { clis, accounts } });
const browser = new Browser(sandbox, { chromium: env.BROWSER_CHROMIUM, connect: guarded.connect });
const programs = new McpPrograms({ catalog: readMcpCatalog(env.MCP_CATALOG), payers: database.payers, sandbox });
const mcpDeps = { database, fetch: guarded.fetch, box, programs };
const mcpServers = {
  ...mcpDeps,
  log,
  privateHosts: env.ALLOW_PRIVATE_HOSTS,
  sessions: new McpSessions(mcpDeps),
};
const schedulesToCompare = {
  database,
  installationId: installation.installationId,
  temporalSchedules: {
    list: (orgId?: string) => listTemporalSchedules(client, orgId),
    find: async (schedule: ScheduleKey) => findTemporalSchedule(client, schedule),
    remove: async (schedule: ScheduleKey) => removeTemporalSchedule(client, schedule),
  },
};
const { activities, steps } = createActivities({
  runs,
  turns: {
    ...engine,
    box,
    findAdapter,
    findPrice,
    accountUse,
    memory: new TurnMemory(getHeapStatistics().heap_size_limit),
    withoutTools: new LRUCache({ max: 1_000 }),
    // For an hour: the provider may have counted a picture, or changed its limit.
    smallerWindows: new LRUCache({ max: 1_000, ttl: 3_600_000 }),
    files,
    providerWaitMaxMs: env.PROVIDER_WAIT_MAX,
    approvalWaitMs,
  },
  agentWorkflows: runDeps,
  calls: {
    ...engine,
    box,
    callBounds: { perUser: env.MAX_CALLS_PER_USER, perOrg: env.MAX_CALLS_PER_ORG },
    orgLimits: env.ORG_LIMITS,
    approvalWaitMs,
    workspaceRoot,
    workspaceCopies,
    files,
    http,
    fetch: guarded.fetch,
    sockets: guarded,
    privateHosts: env.ALLOW_PRIVATE_HOSTS,
    sandbox,
    browser,
    certificateExpiry: guarded.certificateExpiry,
    accountUse,
    embed,
    findPrice,
    callMedia: createMediaCall(guarded.fetch, signIns),
  },
  toolSources: {
    database,
    definitions,
    lacking: () => lackingIn({ sandbox, browser }),
    mcp: new McpClient(mcpServers),
    maxSubAgentsOfTree: env.MAX_SUB_AGENTS_PER_TREE,
    subAgentTimeLimitSeconds: env.SUB_AGENT_TIMEOUT / 1000,
    approvalWaitMs,
  },
  providers: {
    database,
    box,
    tryModel: createTryModel(guarded.fetch, findAdapter, signIns),
    listOfferedModels: createListOfferedModels(guarded.fetch, signIns),
    clis,
    log,
  },
  integrations: {
    database,
    box,
    http,
    log,
    signIn: async (account, signal) => signIn(account, { sockets: guarded, http, signal }),
  },
  destinations: { database, box, http, sockets: guarded },
  issueSync: { database, box, http, limits: env.ORG_LIMITS },
  codeHosts: { database, box, http },
  search: { database },
  webhooks: {
    database,
    box,
    http,
    sockets: guarded,
    workspaceRoot,
    workspaceCopies,
    files,
    orgLimits: env.ORG_LIMITS,
    publicUrl: publicUrl(env),
  },
  channels: { database, box, http, sockets: guarded, files, orgLimits: env.ORG_LIMITS, log },
  schedules: {
    database,
    orgLimits: env.ORG_LIMITS,
    advanceRun: async (run) => advanceRun(runDeps, run),
    removeSchedule: async (schedule) => removeTemporalSchedule(client, schedule),
  },
  orgs: { ...schedulesToCompare, workspaceRoot, copies },
  mcpServers,
  files: { database, files },
  knowledge: { database, http, limits: env.ORG_LIMITS },
  embeddings: { database, box, accountUse, embed, findPrice },
  marketplace: {
    database,
    fetch: guarded.fetch,
    privateHosts: env.ALLOW_PRIVATE_HOSTS,
    indexes: env.MARKETPLACE_INDEXES,
    log,
  },
  tasks: { database, limits: env.ORG_LIMITS },
  housekeeping: {
    ...schedulesToCompare,
    files,
    workspaceRoot,
    deletedChatDays: env.DELETED_CHAT_DAYS,
    projectLogDays: env.PROJECT_LOG_DAYS,
    startOrgPurge: async (orgId) => startOrgPurge(client, orgId),
    resetFailing: async () => resetFailing(client),
    log,
  },
});
const conversations = new ConversationStarter(
  new Client({ connection, namespace: env.TEMPORAL_NAMESPACE, interceptors }),
);
const headStarts = new HeadStarts({ ...steps, log, follow: async (turn) => conversations.follow(turn) });
let workersAgree = false;
const worker = await createTemporalWorker({
  connection,
  namespace: env.TEMPORAL_NAMESPACE,
  activities,
  log,
  workersAgree: () => workersAgree,
});

const jobsDone = new Map<string, number>();
const stopJobs = new AbortController();
const jobs = runPeriodicJobs(
  {
    database,
    client,
    log,
    namespace,
    marketplaceIndexes: env.MARKETPLACE_INDEXES,
    copies,
    onDone: (job) => jobsDone.set(job, Date.now()),
    worker: {
      id: runs.runner,
      report: reportOfWorker,
      workflows: fingerprint(),
      onAgreement: (agree) => {
        workersAgree = agree;
      },
    },
  },
  stopJobs.signal,
);
const recovery = new TurnRecovery({
  database,
  client,
  log,
  takeUp: (chat) => headStarts.takeUp(chat),
  endStopped: (chat) => headStarts.endStopped(chat),
});

// Ends at SIGTERM or SIGINT: turns in flight are handed over at once, to another worker or to the next start.
const running = worker.run();
const listener = await listenToTurns({ database, runningTurns, headStarts, recovery });
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stopTurns);
// The parent process is gone, so nobody would stop this one later.
process.once('disconnect', () => {
  stopTurns();
  // It is also emitted when this process closes the channel itself, and when it is stopping already; that must not be
  // an error.
  if (worker.getState() === 'RUNNING') worker.shutdown();
});
// The parent process checks regularly whether this one still responds.
process.on('message', (message) => {
  if (message === 'ping') process.send?.('pong');
});
if (env.HEALTH_FILE !== undefined) keepTouching(env.HEALTH_FILE);
if (env.WORKER_METRICS_ADDRESS !== undefined)
  reportProcess({
    runningTurns: () => runs.size,
    sandboxCommands: () => sandbox.commands,
    databaseConnections: () => database.connections(),
    jobsDone: () => jobsDone,
  });
// Node itself writes the cache at exit only; a process that is killed would compile again at its next start.
flushCompileCache();
process.send?.('ready');
log.info({ runner: runs.runner }, 'worker is ready');
await running;

for (const outage of outages) outage.close();
stopJobs.abort();
await jobs;
await Promise.all([recovery.stop(), headStarts.stop(), runs.stop()]);
await Promise.all([publisher.drain(), dueWork.drain()]);
runningTurns.close();
await listener.close();
await mcpServers.sessions.close();
await copies.close();
await guarded.close();
sandbox.close();
await clientConnection.close();
await connection.close();
await database.close();
await stopTracing();
if (process.connected) process.disconnect();
log.info('worker has stopped');

/** Returns what this worker lacks by now, for tools and for providers. */
async function reportOfWorker(): Promise<WorkerReport> {
  await sandbox.refresh();
  const lacks = { ...lackingIn({ sandbox, browser }), ...(await clis.lacking()) };
  return { lacks, workspaceFreeBytes: await freeBytesOf(workspaceRoot) };
}

function lackingIn(deps: { readonly sandbox: Sandbox; readonly browser: Browser }): Lacking {
  const [ofSandbox, ofBrowser] = [deps.sandbox.state, deps.browser.state];
  return {
    ...(!ofSandbox.isAvailable && { sandbox: `there is no sandbox: ${ofSandbox.reason}` }),
    ...(!ofBrowser.isAvailable && { browser: ofBrowser.reason }),
  };
}

function logSandbox(state: SandboxState): void {
  if (state.isAvailable) log.info('commands run in the sandbox');
  else log.warn({ reason: state.reason }, 'there is no sandbox: tools that run commands refuse to');
}

/** Ends the process, which would do the work of another, with a sentence. */
function refuseNamespace(error: unknown): never {
  if (!(error instanceof NamespaceTaken)) throw error;
  log.fatal(error.message);
  process.exit(1);
}

/** Hands all turns over at once, and bounds the time that the rest of the shutdown takes. */
function stopTurns(): void {
  stopJobs.abort();
  boundStop();
  void headStarts.stop();
  void runs.stop();
}

/** Exits when the process has not stopped in time, so that the parent knows when the end comes, whatever hangs. */
function boundStop(): void {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo();
    log.fatal({ open }, `worker has not stopped within ${STOP_LIMIT_MS / 1000} s: giving up`);
    process.exit(1);
  }, STOP_LIMIT_MS).unref();
}
