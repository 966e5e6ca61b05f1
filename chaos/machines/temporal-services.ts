import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Connection } from '@temporalio/client';
import { waitUntil } from '../../test/support/wait-until.ts';
import type { Machine } from './machine.ts';
import { ADDRESSES } from './network.ts';
import type { PostgresPair } from './postgres-pair.ts';
import type { Programs } from './programs.ts';

const PORTS = { frontend: 7233, history: 7234, matching: 7235, worker: 7239 } as const;
/** From the port of a service to that on which it finds the others. */
const MEMBERSHIP = -300;
const DYNAMIC_CONFIG = fileURLToPath(
  new URL('../../scripts/stack/temporal/temporal-dynamic-config.yaml', import.meta.url),
);
const SCHEMAS = { temporal: 'temporal', temporal_visibility: 'visibility' };
const SHARDS = 8;
const RETENTION_SECONDS = 3 * 86_400;

type Service = keyof typeof PORTS;

/** The address of the frontend. */
export const TEMPORAL_ADDRESS = `${ADDRESSES['temporal-1']}:${PORTS.frontend}`;

/** Starts the services of a Temporal server as processes of their own: all on the first machine, history on both. */
export async function startTemporalServices(
  [first, second]: readonly [Machine, Machine],
  { temporalServer, temporalSqlTool }: Programs,
  database: PostgresPair['temporalAccess'],
): Promise<void> {
  createSchemas(temporalSqlTool, database);
  const run = async (machine: Machine, service: Service): Promise<void> => {
    const file = join(machine.disk, `${service}.json`);
    writeFileSync(file, JSON.stringify(configuration(machine.address, database)));
    await machine.run({
      name: service,
      command: temporalServer,
      args: ['--config-file', file, '--allow-no-auth', 'start', '--service', service],
      env: { GOMEMLIMIT: '192MiB' },
      isUp: service === 'frontend' ? responds : () => true,
    });
  };
  await Promise.all([run(first, 'history'), run(second, 'history'), run(first, 'matching'), run(first, 'worker')]);
  await run(first, 'frontend');
  await createNamespace();
}

function createSchemas(tool: string, { host, port, user, password }: PostgresPair['temporalAccess']): void {
  for (const [database, schema] of Object.entries(SCHEMAS)) {
    const access = ['--plugin', 'postgres12', '--ep', host, '-p', String(port), '-u', user, '--pw', password];
    const run = (...args: string[]): Buffer =>
      execFileSync(tool, [...access, '--db', database, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    run('setup-schema', '-v', '0.0');
    run('update-schema', '--schema-name', `postgresql/v12/${schema}`);
  }
}

function configuration(address: string, { host, port, user, password }: PostgresPair['temporalAccess']): object {
  const sql = (databaseName: string, maxConns: number): object => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `${host}:${port}`,
      connectProtocol: 'tcp',
      user,
      password,
      maxConns,
      maxIdleConns: maxConns,
      maxConnLifetime: '1h',
    },
  });
  const services = Object.entries(PORTS).map(([service, grpcPort]) => [
    service,
    { rpc: { grpcPort, membershipPort: grpcPort + MEMBERSHIP, bindOnIP: address } },
  ]);
  const cluster = { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: TEMPORAL_ADDRESS };
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: SHARDS,
      datastores: { default: sql('temporal', 10), visibility: sql('temporal_visibility', 3) },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: address } },
    services: Object.fromEntries(services),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: { active: cluster },
    },
    dynamicConfigClient: { filepath: DYNAMIC_CONFIG, pollInterval: '60s' },
  };
}

async function responds(): Promise<boolean> {
  return withConnection(async ({ workflowService }) => {
    await workflowService.getSystemInfo({});
    return true;
  });
}

async function createNamespace(): Promise<void> {
  const workflowExecutionRetentionPeriod = { seconds: RETENTION_SECONDS as never };
  await waitUntil('the namespace to be created', async () =>
    withConnection(async ({ workflowService }) => {
      await workflowService.registerNamespace({ namespace: 'default', workflowExecutionRetentionPeriod });
      return 'created';
    }).catch((error: unknown) => (String(error).includes('already exists') ? 'created' : undefined)),
  );
  // Services know of it when they next read the list.
  await waitUntil('the namespace to be known', async () =>
    withConnection(async ({ workflowService }) => {
      await workflowService.listOpenWorkflowExecutions({
        namespace: 'default',
        maximumPageSize: 1,
        startTimeFilter: {},
      });
      return 'known';
    }).catch(() => undefined),
  );
}

async function withConnection<T>(use: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: TEMPORAL_ADDRESS, connectTimeout: 2_000 });
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}
