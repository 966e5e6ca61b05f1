import type { Express, Request } from 'express';
import packageJson from '../../package.json' with { type: 'json' };
import { DATABASE_CONNECTIONS, type PoolState } from '../../db/core/database.ts';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { hostNameOf } from '../../domain/network/host-names.ts';
import { isLoopback } from '../../domain/network/addresses.ts';
import { credentialOf, isSame, verifyBearer } from '../access/bearer.ts';
import type { ApiContext } from '../context/api-context.ts';
import { sendFailure } from '../http/problem.ts';
import { clientAddressOf } from '../limits/client-address.ts';

/** Headers that proxies add to the requests that they forward. */
const FORWARDING_HEADER = /^(?:x-forwarded-|x-real-ip$|forwarded$|via$)/;

interface MetricsOptions {
  readonly metrics: Metrics;
  /** The token that opens the metrics to other machines. */
  readonly token: string | undefined;
}

/** Serves `/metrics`: to this machine, and to others only with the operator's token. */
export function serveMetrics(
  app: Express,
  context: ApiContext,
  { metrics: { registry }, token }: MetricsOptions,
): void {
  app.get('/metrics', (request, response) => {
    admit(request, context, token)
      .then(async () => response.type(registry.contentType).send(await registry.metrics()))
      .catch((error: unknown) => sendFailure(error, response, context.log));
  });
}

async function admit(request: Request, context: ApiContext, token: string | undefined): Promise<void> {
  if (isLocal(request)) return;
  const isOperator =
    token !== undefined && (await verifyBearer(credentialOf(request), async (given) => isSame(given, token)));
  if (isOperator === true) return;
  await context.requestLimits.countStranger(clientAddressOf(request, context));
  if (token === undefined) throw notFound('Page');
  throw new AppError('unauthenticated', 'Missing or invalid token');
}

// A proxy on this machine is a local peer too, but forwards requests from elsewhere.
function isLocal({ socket, headers }: Request): boolean {
  if (!isLoopback(socket.remoteAddress ?? '')) return false;
  const name = hostNameOf(headers.host ?? '') ?? '';
  if (name !== 'localhost' && !isLoopback(name)) return false;
  return !Object.keys(headers).some((header) => FORWARDING_HEADER.test(header));
}

/** The process's own metrics, for Prometheus. */
export interface Metrics {
  readonly registry: Registry;
  /** Counts a finished request. `route` is the declared path, so that ids do not create a series each. */
  observe(request: { method: string; route: string; status: number; seconds: number }): void;
}

/** Gauges of things that are counted elsewhere. A value that cannot be read is left out. */
interface Counted {
  readonly openSockets: () => number;
  readonly openConnections: () => number;
  /** Returns whether Temporal can be reached. */
  readonly canReachEngine: () => Promise<boolean>;
  /** Returns what is under way or waits, by its kind. */
  readonly openWork: () => Promise<Readonly<Record<string, number>>>;
  /** Returns the connections of each pool to the database, by state. */
  readonly databaseConnections: () => readonly PoolState[];
  /** Returns how many accounts of providers are in each state. */
  readonly providerAccounts: () => Promise<Readonly<Record<string, number>>>;
  /** Returns the bytes of the tables that grow with use. */
  readonly tableBytes: () => Promise<Readonly<Record<string, number>>>;
  /** Returns whether the workers can confine commands. */
  readonly hasSandbox: () => Promise<boolean>;
  /** Returns how many workers run. */
  readonly countWorkers: () => Promise<number>;
  /** Returns for how long the oldest turn has waited for a worker, in seconds. */
  readonly oldestWaitSeconds: () => Promise<number>;
  /** Returns what is free on the fullest disk of workspaces, in bytes; undefined when that is not known. */
  readonly workspaceFreeBytes: () => Promise<number | undefined>;
}

export function createMetrics(counted: Counted): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // First: the others ask the database.
  const connections: Gauge = new Gauge({
    ...DATABASE_CONNECTIONS,
    labelNames: ['pool', 'state'],
    collect: () => {
      for (const { count, ...labels } of counted.databaseConnections()) connections.set(labels, count);
    },
    registers: [registry],
  });
  const requests = new Histogram({
    name: 'everturn_http_request_seconds',
    help: 'Time from the request to the head of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const gauge = (name: string, help: string, read: () => Promise<number | undefined> | number) => {
    const metric: Gauge = new Gauge({
      name,
      help,
      collect: async () => {
        try {
          const value = await read();
          if (value === undefined) metric.remove();
          else metric.set(value);
        } catch {
          metric.remove();
        }
      },
      registers: [],
    });
    registry.registerMetric(metric);
  };
  gauge('everturn_open_sockets', 'Open WebSocket connections', counted.openSockets);
  gauge('everturn_open_connections', 'Open WebSocket connections and event streams', counted.openConnections);
  gauge('everturn_engine_reachable', 'Whether Temporal can be reached: 1 or 0', async () =>
    Number(await counted.canReachEngine()),
  );
  const byWord = (name: string, help: string, label: string, count: () => Promise<Readonly<Record<string, number>>>) =>
    registry.registerMetric(gaugeByWord({ name, help, label, count }));
  byWord('everturn_open_work', 'What is under way or waits, in all organizations', 'kind', counted.openWork);
  byWord('everturn_provider_accounts', 'Accounts of providers by state', 'state', counted.providerAccounts);
  byWord('everturn_table_bytes', 'The size of tables that grow, with their indexes', 'table', counted.tableBytes);
  new Gauge({
    name: 'everturn_build_info',
    help: 'Always 1, with the version',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: packageJson.version }, 1);
  gauge('everturn_sandbox_available', 'Whether the workers can confine commands in the sandbox: 1 or 0', async () =>
    Number(await counted.hasSandbox()),
  );
  gauge(
    'everturn_workers',
    'Workers seen within the last minute: without any, messages are accepted and wait',
    counted.countWorkers,
  );
  gauge(
    'everturn_oldest_waiting_turn_seconds',
    'Age of the oldest due turn that no worker has claimed; 0 if none',
    counted.oldestWaitSeconds,
  );
  gauge(
    'everturn_workspace_free_bytes',
    'Bytes that are free on the disk of workspaces, of the worker with the fewest',
    counted.workspaceFreeBytes,
  );
  return {
    registry,
    observe: ({ method, route, status, seconds }) =>
      requests.observe({ method, route, status: String(status) }, seconds),
  };
}

interface CountsByWord {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  readonly count: () => Promise<Readonly<Record<string, number>>>;
}

function gaugeByWord({ name, help, label, count }: CountsByWord): Gauge {
  const metric: Gauge = new Gauge({
    name,
    help,
    labelNames: [label],
    collect: async () => {
      const counts = await count().catch(() => ({}));
      metric.reset();
      for (const [word, number] of Object.entries(counts)) metric.set({ [label]: word }, number);
    },
    registers: [],
  });
  return metric;
}
