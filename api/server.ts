import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { ACCESS_CHANNEL } from '../db/auth.ts';
import { CANCELLED_CALLS_CHANNEL } from '../db/completions.ts';
import { Definitions } from '../db/definitions/definitions.ts';
import { RECORDS_CHANNEL } from '../db/stream/record-news.ts';
import { BOARD_CHANNEL } from '../db/tasks/board.ts';
import { oldestWaitSeconds } from '../db/turns/due-turns.ts';
import { READY_CHANNEL } from '../db/turns/ready-turn.ts';
import { findGroupsOf } from '../db/permissions/for-turn.ts';
import { readShippedDefinitions, readShippedItems } from '../builtin/index.ts';
import type { Database } from '../db/core/database.ts';
import { SecretBox } from '../db/core/secret-box.ts';
import type { McpCatalog } from '../domain/mcp-servers.ts';
import type { MarketplaceIndex } from '../domain/marketplace.ts';
import { ShippedDefinitions } from '../domain/definitions/definition.ts';
import { hostNameOf, type HostNames, type Origins } from '../domain/network/host-names.ts';
import { parseTrustedProxies, type PrivateHosts, type TrustedProxies } from '../domain/network/addresses.ts';
import type { FilesLocation } from '../domain/files.ts';
import { type OrgLimits, parseOrgLimits } from '../domain/orgs.ts';
import { FileStores } from '../files/file-stores.ts';
import { scheduleRows } from '../db/schedules/firing/applied.ts';
import { countAccountStates, countOpenWork, sizesOfGrowingTables } from '../db/open-work.ts';
import { countWorkers, leastWorkspaceFreeBytes, readLacking } from '../db/workers.ts';
import { DUE_WORK_FAILED, DueWorkQueue } from '../workflows/due-work/client.ts';
import { createApp } from './app.ts';
import { AuditLog } from './audit/audit-log.ts';
import { createSetupToken } from './auth/register.ts';
import { readConsole } from './console/serve-console.ts';
import { ChatFeeds } from './chat-feed/chat-feeds.ts';
import { BoardFeeds } from './tasks/board/board-feeds.ts';
import { OrgFeeds } from './org-events/org-feeds.ts';
import { SocketServer } from './socket-server.ts';
import { asksForSocket } from './sockets/read-upgrade.ts';
import { ConnectionRegistry } from './access/connection-registry.ts';
import { createAddressDigests } from './limits/client-address.ts';
import type { ApiContext } from './context/api-context.ts';
import { WaitingCalls } from './context/waiting-calls.ts';
import { KnownCallers } from './access/known-callers.ts';
import { type PasswordCost, Passwords } from './access/passwords.ts';
import { Policies } from './access/policies.ts';
import { limitBodyChunks } from './limits/body-chunks.ts';
import { BodyLimit } from './limits/body-limit.ts';
import { BODY_TIME_MS, limitRequestTime } from './limits/body-time.ts';
import { UnsentAnswers } from './limits/unsent-answers.ts';
import { createRateLimit } from './limits/rate-limits.ts';
import { createListSemaphore, limitPipelining, RequestLimits, type RequestRates } from './limits/request-limits.ts';
import { failureBody } from './http/replies/failure-form.ts';
import { SessionTokens } from './access/tokens.ts';
import { createMemberLimit } from './limits/concurrency-limit.ts';
import { canReachEngine } from './health/routes.ts';
import { createMetrics } from './health/serve-metrics.ts';
import { WorkerWatch } from './health/worker-watch.ts';

interface ServerOptions {
  readonly database: Database;
  readonly temporal: Client;
  readonly secretKeys: readonly [string, ...string[]];
  readonly privateHosts: PrivateHosts;
  readonly registration: ApiContext['registration'];
  readonly publicUrl: string;
  /** Further host names of the service, beside that in `publicUrl` and those of this machine. */
  readonly hostNames?: HostNames;
  /** Proxies that report truthfully where a request came from; none unless given. */
  readonly trustedProxies?: TrustedProxies;
  /** The origins of pages that may read responses; none unless given. */
  readonly corsOrigins?: Origins;
  /** Where people open Temporal's UI; nothing leads there unless given. */
  readonly temporalUiUrl?: string | undefined;
  /** The token that opens the metrics to other machines. */
  readonly metricsToken?: string | undefined;
  /** The folder of the built console; none unless given. */
  readonly consoleDir?: string | undefined;
  /** The operator's folder of tools, skills and personas; none unless given. */
  readonly catalogDir?: string | undefined;
  /** The operator's programs that organizations may add as MCP servers; none unless given. */
  readonly mcpCatalog?: McpCatalog | undefined;
  /** The indexes whose items are offered in the marketplace; none unless given. */
  readonly marketplaceIndexes?: readonly MarketplaceIndex[] | undefined;
  /** The defaults unless given. */
  readonly orgLimits?: OrgLimits | undefined;
  /** How long a decision before a step of a workflow is waited for; 90 days unless given. */
  readonly approvalWaitDays?: number;
  /** The days for which deleted chats can be restored; 0 for ever. */
  readonly deletedChatDays: number;
  /** Where new files are kept; PostgreSQL unless given. */
  readonly filesAt?: FilesLocation | undefined;
  /** Where workspaces are; stored unless given. */
  readonly workspaces?: 'local' | 'shared' | undefined;
  readonly log: Logger;
  readonly checkAnswers?: boolean;
  /** How long a body may take to arrive; `BODY_TIME_MS` unless given. */
  readonly bodyTimeMs?: number | undefined;
  /** How often it is checked whether a worker runs; see `WorkerWatch`. */
  readonly workerWatchMs?: number | undefined;
  /** Without them requests are not counted. */
  readonly requestRates?: RequestRates;
  /** The cost of hashing a password; by default what OWASP recommends. */
  readonly passwordCost?: PasswordCost;
}

/** Returns what says where a workflow is shown in Temporal's UI. */
function temporalUiOf({ temporal, temporalUiUrl: url }: ServerOptions): ApiContext['temporalUi'] {
  if (url === undefined) return () => null;
  const { namespace } = temporal.options;
  const base = `${url.replace(/\/$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows/`;
  return (workflowId) => base + encodeURIComponent(workflowId);
}

const NO_RATES: RequestRates = { perUser: 0, perKey: 0, perAddress: 0, perWebhook: 0 };

/** The responses that may wait for readers in total, in bytes; their memory lies outside the heap. */
const MAX_UNSENT_BYTES = 64 * 1024 ** 2;
/** Request bodies in flight, in bytes: of the process, and of one user or address. */
const MAX_BODY_BYTES = 128 * 1024 * 1024;
const MAX_BODY_BYTES_OF_ONE = 16 * 1024 * 1024;

/** The api of one process, ready to listen. */
export interface ApiServer {
  readonly http: Server;
  readonly setupToken: ApiContext['setupToken'];
  /** Accepts no more requests, asks clients to reconnect, and waits until the rest is done. */
  close(): Promise<void>;
}

const CONNECTIONS = { perUser: 50, perOrg: 500, perProcess: 2_000 };
const UPLOADS = { perUser: 4, perOrg: 20, perProcess: 100 };
const DOWNLOADS = { perUser: 10, perOrg: 50, perProcess: 200 };
const BULK_WORK = { perUser: 1, perOrg: 3, perProcess: 12 };
const PROBES = { perUser: 5, perOrg: 10, perProcess: 40 };

/** Wires the api together; throws when the database does not respond. */
export async function createServerOf(options: ServerOptions): Promise<ApiServer> {
  const { database, secretKeys, log } = options;
  const { payers } = database;
  const access = new ConnectionRegistry(log);
  const knownCallers = new KnownCallers();
  database.onAccessChange((userIds) => {
    for (const userId of userIds) knownCallers.forget(userId);
  });
  const dueWork = new DueWorkQueue({
    client: options.temporal,
    schedules: scheduleRows(database),
    payerOf: (orgId) => payers.known(orgId),
    onFailure: (error, work) => log.warn({ err: error, work }, DUE_WORK_FAILED),
  });
  database.onDueWork((work) => dueWork.add(work));
  const audit = new AuditLog({ database, log });
  const boards = new BoardFeeds({ database, log });
  const orgEvents = new OrgFeeds({ database, log });
  const waitingCalls = new WaitingCalls();
  const chats = await ChatFeeds.start({
    database,
    log,
    onEvent: (event) => orgEvents.receiveEvent(event),
    alsoListen: {
      channels: [ACCESS_CHANNEL, BOARD_CHANNEL, CANCELLED_CALLS_CHANNEL, READY_CHANNEL, RECORDS_CHANNEL],
      onNotification: (channel, said) => {
        if (channel === BOARD_CHANNEL) return boards.receive(said);
        if (channel === READY_CHANNEL) return orgEvents.receiveReady(said);
        if (channel === RECORDS_CHANNEL) return orgEvents.receive(said);
        if (channel === CANCELLED_CALLS_CHANNEL) return waitingCalls.cancel(said);
        orgEvents.receiveAccess(said);
        knownCallers.forget(said);
        void access.recheck(said);
      },
      onDisconnect: () => knownCallers.suspend(),
      onReconnect: () => {
        knownCallers.resume();
        void access.recheck();
        boards.renew();
        orgEvents.renew();
      },
    },
  });
  const shipped = readShippedDefinitions({
    catalogDir: options.catalogDir,
    onFaulty: (faulty) => log.warn(faulty, 'a definition in CATALOG_DIR was left out'),
  });
  const workers = new WorkerWatch({ database, log, everyMs: options.workerWatchMs });
  const context: ApiContext = {
    database,
    temporal: options.temporal,
    definitions: new Definitions(database, new ShippedDefinitions(shipped)),
    marketplace: { shipped: readShippedItems(), indexes: options.marketplaceIndexes ?? [] },
    mcpCatalog: options.mcpCatalog ?? new Map(),
    box: new SecretBox(secretKeys),
    tokens: new SessionTokens(secretKeys),
    passwords: new Passwords(options.passwordCost),
    // Against guessing invites and making accounts by the thousand; all api processes share them.
    limits: {
      registrations: createRateLimit(database, { name: 'register', tries: 60, windowSeconds: 60 }),
      invitesOfAddress: createRateLimit(database, { name: 'invite-address', tries: 20, windowSeconds: 60 }),
    },
    addressDigests: createAddressDigests(secretKeys),
    requestLimits: new RequestLimits(database, options.requestRates ?? NO_RATES),
    knownCallers,
    policies: new Policies(async (orgId, userId) => findGroupsOf(database, { orgId, userId })),
    listSemaphore: createListSemaphore(),
    orgLimits: options.orgLimits ?? parseOrgLimits(''),
    deletedChatDays: options.deletedChatDays,
    temporalUi: temporalUiOf(options),
    approvalWaitMs: (options.approvalWaitDays ?? 90) * 24 * 3_600_000,
    unsentAnswers: new UnsentAnswers({ maxBytes: MAX_UNSENT_BYTES, log }),
    bodyLimit: new BodyLimit({ maxBytes: MAX_BODY_BYTES, maxBytesOfOne: MAX_BODY_BYTES_OF_ONE }),
    privateHosts: options.privateHosts,
    registration: options.registration,
    setupToken: createSetupToken(database, secretKeys),
    publicUrl: options.publicUrl,
    hostNames: new Set([hostNameOf(new URL(options.publicUrl).host) ?? '', ...(options.hostNames ?? [])]),
    corsOrigins: options.corsOrigins ?? new Set(),
    trustedProxies: options.trustedProxies ?? parseTrustedProxies(''),
    chats,
    boards,
    orgEvents,
    waitingCalls,
    access,
    connections: createMemberLimit(
      CONNECTIONS,
      'open connections, counting sockets and event streams; close one first',
      payers,
    ),
    // Each occupies a worker while its caller waits, for a minute at most.
    probes: createMemberLimit(PROBES, 'tests, fetches or sign-ins at other servers in progress; wait for one', payers),
    files: await FileStores.open(database, options.filesAt),
    workspaces: options.workspaces,
    uploads: createMemberLimit(UPLOADS, 'uploads in progress; wait for one', payers),
    downloads: createMemberLimit(DOWNLOADS, 'downloads in progress; wait for one', payers),
    bulkWork: createMemberLimit(BULK_WORK, 'fork(s) or changes of many messages in progress; wait for one', payers),
    audit,
    workers,
    log,
  };
  const sockets = new SocketServer(context);
  const metrics = createMetrics({
    openSockets: () => sockets.openCount,
    openConnections: () => context.connections.inUse,
    canReachEngine: async () => canReachEngine(context),
    openWork: async () => countOpenWork(database),
    databaseConnections: () => database.connections(),
    providerAccounts: async () => countAccountStates(database),
    tableBytes: async () => sizesOfGrowingTables(database),
    hasSandbox: async () => (await readLacking(database, ['sandbox'])).sandbox === undefined,
    countWorkers: async () => countWorkers(database),
    oldestWaitSeconds: async () => oldestWaitSeconds(database),
    workspaceFreeBytes: async () => leastWorkspaceFreeBytes(database),
  });
  // A request must arrive within these times, most in a shorter one (`limitRequestTime`); the time for its response is
  // not bounded here.
  const http = createServer({
    headersTimeout: 10_000,
    connectionsCheckingInterval: 2_000,
    requestTimeout: 16 * 60_000,
    keepAliveTimeout: 65_000,
    maxHeaderSize: 16_384,
    // `checkHost` checks it, and says what is missing.
    requireHostHeader: false,
    shouldUpgradeCallback: asksForSocket,
  });
  const { metricsToken, checkAnswers = false } = options;
  const app = createApp({ context, metrics, metricsToken, console: readConsole(options.consoleDir), checkAnswers });
  const inTime = limitRequestTime(app, { timeMs: options.bodyTimeMs ?? BODY_TIME_MS, reject: rejectSlow });
  http.on('request', limitPipelining(limitBodyChunks(inTime)));
  http.on('clientError', rejectMalformed);
  http.on('checkExpectation', rejectExpectation);
  sockets.attach(http);
  const close = async () => closeAll({ http, sockets, access, audit, workers, chats, boards, orgEvents, dueWork });
  return { http, setupToken: context.setupToken, close };
}

const EXPECTATION_FAILED = 417;

/** How long the sender of a rejected request has to read why, in milliseconds. */
const HANG_UP_MS = 1_000;

// Codes of Node's HTTP parser; all others mean a malformed request.
const REJECTIONS: ReadonlyMap<string | undefined, readonly [number, string]> = new Map([
  ['HPE_HEADER_OVERFLOW', [431, 'Headers too large']],
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'The request took too long to arrive']],
]);

function rejectSlow({ socket }: IncomingMessage): void {
  rejectMalformed(Object.assign(new Error('too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
}

// A request that the parser rejects reaches no route.
function rejectMalformed(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const [status, detail] = REJECTIONS.get(error.code) ?? [400, 'Malformed request'];
  const body = JSON.stringify({ detail });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
  // Its sender may continue to send, and would keep the request's content in memory.
  setTimeout(() => socket.destroy(), HANG_UP_MS).unref();
}

// Node would answer without a body.
function rejectExpectation({ url = '/' }: IncomingMessage, response: ServerResponse): void {
  const path = url.split('?', 1)[0] ?? '/';
  const detail = 'Of the expectations in Expect only 100-continue is met';
  response.writeHead(EXPECTATION_FAILED, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(failureBody(path, { status: EXPECTATION_FAILED, detail })));
}

interface ServerParts {
  readonly http: Server;
  readonly sockets: SocketServer;
  readonly access: ConnectionRegistry;
  readonly audit: AuditLog;
  readonly workers: WorkerWatch;
  readonly chats: ChatFeeds;
  readonly boards: BoardFeeds;
  readonly orgEvents: OrgFeeds;
  readonly dueWork: DueWorkQueue;
}

async function closeAll({
  http,
  sockets,
  access,
  audit,
  workers,
  chats,
  boards,
  orgEvents,
  dueWork,
}: ServerParts): Promise<void> {
  access.close();
  workers.close();
  sockets.close();
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  http.closeIdleConnections();
  // Streams last as long as their turns, which continue elsewhere: readers reconnect to another process.
  setTimeout(() => http.closeAllConnections(), 500).unref();
  await closed;
  await Promise.all([chats.close(), boards.close(), orgEvents.close()]);
  await Promise.all([audit.close(), dueWork.drain()]);
}
