import { once } from 'node:events';
import type { Server } from 'node:http';
import { Client, Connection } from '@temporalio/client';
import { pino } from 'pino';
import type { RequestRates } from '../../api/limits/request-limits.ts';
import { createServerOf } from '../../api/server.ts';
import type { Database } from '../../db/core/database.ts';
import { connectDatabase } from '../../db/orm/connect.ts';
import { parseMarketplaceIndexes } from '../../domain/marketplace.ts';
import { parseMcpCatalog } from '../../domain/mcp-servers.ts';
import { parseOrigins } from '../../domain/network/host-names.ts';
import { parsePrivateHosts, parseTrustedProxies } from '../../domain/network/addresses.ts';
import { parseFilesLocation } from '../../domain/files.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';

export const TEST_SECRET_KEY = 'a-secret-key-that-only-the-tests-know';

/** The least that the algorithm takes. */
const TEST_PASSWORD_COST = { memoryCost: 8, timeCost: 1, parallelism: 1 };

export interface TestApiOptions {
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  /** As in `SECRET_KEY`; the key of the tests unless given. */
  readonly secretKeys?: readonly [string, ...string[]];
  /** The address at which it listens for notifications; that of the database unless given. */
  readonly listenUrl?: string;
  readonly privateHosts?: string;
  readonly registration?: 'open' | 'invite' | 'closed';
  /** Without them requests are not counted. */
  readonly requestRates?: RequestRates;
  /** In the form of `ORG_LIMITS`. */
  readonly orgLimits?: string;
  readonly workspaces?: 'local' | 'shared';
  /** In the form of `FILES_URL`. */
  readonly filesUrl?: string;
  /** In the form of `TRUSTED_PROXIES`. */
  readonly trustedProxies?: string;
  /** Where people open Temporal's UI; nowhere unless given. */
  readonly temporalUiUrl?: string;
  readonly metricsToken?: string;
  /** The folder of a built console. */
  readonly consoleDir?: string;
  /** The operator's folder of definitions. */
  readonly catalogDir?: string;
  /** The operator's programs, in the form of the file of `MCP_CATALOG`. */
  readonly mcpCatalog?: string;
  /** In the form of `MARKETPLACE_INDEXES`. */
  readonly marketplaceIndexes?: string;
  /** In the form of `CORS_ORIGINS`. */
  readonly corsOrigins?: string;
  /** How long a body may take to arrive; as ever unless given. */
  readonly bodyTimeMs?: number;
  /** How often it is checked whether a worker runs; never unless given. */
  readonly workerWatchMs?: number;
}

/** The longest time that a timer takes. */
const NEVER_MS = 2 ** 31 - 1;

/** The api on a free port, in this process. Each answer is held against its schema. */
export interface TestApi {
  /** Without a slash at its end. */
  readonly url: string;
  readonly database: Database;
  close(): Promise<void>;
}

export async function startTestApi(options: TestApiOptions): Promise<TestApi> {
  const database = await connectDatabase({ url: options.databaseUrl, poolSize: 4 });
  // Without retries: one that still waits when the connection is closed throws out of its timer.
  const connection = Connection.lazy({ address: options.temporalAddress, interceptors: [] });
  const server = await createServerOf({
    database: { ...database, url: options.listenUrl ?? database.url },
    temporal: new Client({ connection }),
    secretKeys: secretKeysOf(options),
    privateHosts: parsePrivateHosts(options.privateHosts ?? ''),
    registration: options.registration ?? 'open',
    publicUrl: 'https://everturn.example.com',
    log: pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' }),
    trustedProxies: parseTrustedProxies(options.trustedProxies ?? ''),
    temporalUiUrl: options.temporalUiUrl,
    metricsToken: options.metricsToken,
    consoleDir: options.consoleDir,
    catalogDir: options.catalogDir,
    mcpCatalog: parseMcpCatalog(options.mcpCatalog ?? '{}'),
    marketplaceIndexes: parseMarketplaceIndexes(options.marketplaceIndexes ?? ''),
    corsOrigins: parseOrigins(options.corsOrigins ?? ''),
    bodyTimeMs: options.bodyTimeMs,
    workerWatchMs: watchMs(options),
    checkAnswers: true,
    orgLimits: parseOrgLimits(options.orgLimits ?? ''),
    deletedChatDays: 30,
    filesAt: parseFilesLocation(options.filesUrl ?? ''),
    workspaces: options.workspaces,
    passwordCost: TEST_PASSWORD_COST,
    ...(options.requestRates !== undefined && { requestRates: options.requestRates }),
  });
  return {
    url: await listen(server.http),
    database,
    close: async () => {
      await server.close();
      await connection.close();
      await database.close();
    },
  };
}

// Most of these tests run without a worker.
function watchMs({ workerWatchMs = NEVER_MS }: TestApiOptions): number {
  return workerWatchMs;
}

function secretKeysOf({ secretKeys = [TEST_SECRET_KEY] }: TestApiOptions): readonly [string, ...string[]] {
  return secretKeys;
}

/** Listens on a free port; returns the address. */
async function listen(http: Server): Promise<string> {
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('the api has no port');
  return `http://127.0.0.1:${address.port}`;
}
