import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTemporal, type Temporal } from '../../scripts/stack/temporal/start-temporal.ts';
import { expireLeases } from './expire-leases.ts';
import { forgetAttempts } from './forget-attempts.ts';
import { freePort } from './free-port.ts';
import { atEndOfProcess } from './runner/end-of-process.ts';
import { missHeartbeats } from './miss-heartbeats.ts';
import { OPERATOR_ENVIRONMENT } from './operator-environment.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model/index.ts';
import { sharedServices } from './shared-services.ts';
import { startTestApi, TEST_SECRET_KEY, type TestApi, type TestApiOptions } from './test-api.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';
import { startTestWorker, type TestWorker } from './test-worker.ts';

/** What the log of a worker holds for each workflow task that has failed. */
const TASK_FAILED = 'Failing workflow task';
/**
 * Tasks that fail as their worker stood still for seconds; Temporal repeats them. The SDK gives up on a script that got
 * no processor. It also addresses the result of a local activity by the id of the run alone, which it may have evicted
 * and begun to replay by then. A workflow that lacks a local activity of its history would say the same: `test/replay`
 * tells of those.
 */
const STOOD_STILL = [
  'Script execution timed out after 5000ms',
  'Nondeterminism error: Missing associated machine for LocalActivity(',
];

/** The whole product, and a scripted model of the test file to talk to. */
export interface TestInstance {
  readonly api: TestApi;
  readonly model: ScriptedModel;
  readonly temporalAddress: string;
  readonly temporalPid: number;
  readonly databaseUrl: string;
  /** The workers that run. */
  readonly workers: TestWorker[];
  /** The folder of the chats' workspaces. */
  readonly workspaces: string;
  /** Starts another worker, with further environment. One that has some ends with the test file. */
  addWorker(environment?: Record<string, string>): Promise<TestWorker>;
  /** Ends all workers as a crash does: the leases that they held run out, and their heartbeats are missed. */
  killWorkers(): Promise<void>;
  /** Starts another api process's worth of api, on the same database and Temporal. */
  addApi(options?: Pick<TestApiOptions, 'secretKeys'>): Promise<TestApi>;
  /**
   * Ends what the test file has started; throws when a workflow task has failed, which turns that are answered all the
   * same would hide.
   */
  close(): Promise<void>;
}

/** One with a database and a Temporal server that no other test file uses. */
export interface OwnInstance extends TestInstance {
  /** Ends Temporal as a crash does, and starts another one at its address, which knows nothing. */
  loseTemporalStore(): Promise<void>;
}

interface OwnOptions {
  /** The database to work on, which is dropped at the end; a new one unless given. */
  readonly database?: TestDatabase;
  /** Further environment of the worker; null for none that runs from the start. */
  readonly worker?: Record<string, string> | null;
  /** Ports of this machine that outgoing calls may reach, beside the model's; any unless given. */
  readonly openPorts?: readonly number[];
  /** The folder of a built console. */
  readonly consoleDir?: string;
  /** In the form of `MARKETPLACE_INDEXES`. */
  readonly marketplaceIndexes?: string;
  /** The operator's programs as the api has them, in the form of the file of `MCP_CATALOG`. */
  readonly mcpCatalog?: string;
  /** Added to the dynamic configuration of its Temporal server: keys and JSON values. */
  readonly temporalConfig?: Record<string, string>;
}

let shared: Promise<Installation> | undefined;

/** Returns the installation that all test files of this process share: each test has organizations of its own there. */
export async function startTestInstance(): Promise<TestInstance> {
  const installation = await (shared ??= startShared());
  if (installation.workers.length === 0) await installation.addWorker();
  // Each test file comes from the same address, where only so many users may be registered in an hour.
  await forgetAttempts(installation.api.database);
  const model = await startScriptedModel();
  const apis: TestApi[] = [];
  const ownWorkers: TestWorker[] = [];
  const { api, temporal, database, workers, workspaces } = installation;
  return {
    api,
    model,
    temporalAddress: temporal.address,
    temporalPid: temporal.pid,
    databaseUrl: database.url,
    workers,
    workspaces,
    addWorker: async (environment) => {
      const added = await installation.addWorker(environment);
      if (environment !== undefined) ownWorkers.push(added);
      return added;
    },
    killWorkers: async () => installation.killWorkers(),
    addApi: async (options) => {
      const added = await installation.addApi(options);
      apis.push(added);
      return added;
    },
    close: async () => {
      const ending = [...workers.slice(1), ...ownWorkers].map(async (each) => each.kill());
      await Promise.all([...ending, ...apis.map(async (each) => each.close())]);
      await model.close();
      try {
        installation.rejectFailedTasks();
      } catch (error) {
        // The engine would repeat the task, and every later file would fail too.
        shared = undefined;
        await installation.end();
        throw error;
      }
    },
  };
}

/** Starts an installation for a test file that breaks what others need, looks at everything or has own settings. */
export async function startOwnInstance(options: OwnOptions = {}): Promise<OwnInstance> {
  const model = await startScriptedModel();
  const { openPorts } = options;
  const ports = openPorts === undefined ? ['*' as const] : [model.port, ...openPorts];
  const installation = await install(options, ports).catch(async (error: unknown) => {
    await model.close();
    throw error;
  });
  const { api, temporal, database, workers, workspaces } = installation;
  return {
    api,
    model,
    temporalAddress: temporal.address,
    temporalPid: temporal.pid,
    loseTemporalStore: async () => installation.loseTemporalStore(),
    databaseUrl: database.url,
    workers,
    workspaces,
    addWorker: async (environment) => installation.addWorker(environment),
    killWorkers: async () => installation.killWorkers(),
    addApi: async (further) => installation.addApi(further),
    close: async () => {
      await Promise.all([installation.end(), model.close()]);
      installation.rejectFailedTasks();
    },
  };
}

async function startShared(): Promise<Installation> {
  const { bwrap } = sharedServices();
  const worker = { ...OPERATOR_ENVIRONMENT, ...('path' in bwrap && { SANDBOX_BWRAP: bwrap.path }) };
  try {
    const installation = await install({ worker }, ['*']);
    atEndOfProcess(async () => installation.kill());
    return installation;
  } catch (error) {
    shared = undefined;
    throw error;
  }
}

/** A database, a Temporal server, the api in this process and workers. */
interface Installation {
  readonly database: TestDatabase;
  readonly temporal: Temporal;
  readonly api: TestApi;
  /** Those that run. */
  readonly workers: TestWorker[];
  readonly workspaces: string;
  addWorker(environment?: Record<string, string>): Promise<TestWorker>;
  killWorkers(): Promise<void>;
  loseTemporalStore(): Promise<void>;
  addApi(options?: Pick<TestApiOptions, 'secretKeys'>): Promise<TestApi>;
  /** Throws when a workflow task has failed since it was last called. */
  rejectFailedTasks(): void;
  end(): Promise<void>;
  /** Ends the processes, which hold nothing that outlives the run. */
  kill(): Promise<void>;
}

/** Starts one whose outgoing calls may reach the given ports of this machine. */
async function install(options: OwnOptions, ports: readonly (number | '*')[]): Promise<Installation> {
  const temporalConfig = options.temporalConfig ?? {};
  const [database, temporal] = await Promise.all([
    options.database ?? createTestDatabase(),
    startTestTemporal(temporalConfig),
  ]);
  const privateHosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
  const workspaces = mkdtempSync(join(tmpdir(), 'everturn-workspaces-'));
  const { marketplaceIndexes = '', mcpCatalog = '{}' } = options;
  const connection = {
    databaseUrl: database.url,
    temporalAddress: temporal.address,
    privateHosts,
    marketplaceIndexes,
    mcpCatalog,
    ...(options.consoleDir !== undefined && { consoleDir: options.consoleDir }),
  };
  const workers: TestWorker[] = [];
  const started: TestWorker[] = [];
  const apis: TestApi[] = [];
  const addWorker = async (environment: Record<string, string> = {}) => {
    const worker = await startTestWorker({
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: temporal.address,
      SECRET_KEY: TEST_SECRET_KEY,
      ALLOW_PRIVATE_HOSTS: privateHosts,
      MARKETPLACE_INDEXES: marketplaceIndexes,
      WORKSPACE_DIR: workspaces,
      ...options.worker,
      ...environment,
    });
    workers.push(worker);
    started.push(worker);
    void worker.exited.finally(() => {
      if (workers.includes(worker)) workers.splice(workers.indexOf(worker), 1);
    });
    return worker;
  };
  const addApi = async (further: Pick<TestApiOptions, 'secretKeys'> = {}) => {
    const api = await startTestApi({ ...connection, ...further });
    apis.push(api);
    return api;
  };
  let running = temporal;
  const loseTemporalStore = async () => {
    running.kill();
    await running.exited;
    running = await startTestTemporal(temporalConfig, Number(new URL(`http://${temporal.address}`).port));
  };
  const kill = async () => {
    running.kill();
    await Promise.all(started.map((worker) => worker.kill()));
  };
  const end = async () => {
    await Promise.all([...started.map((worker) => worker.kill()), ...apis.map((each) => each.close())]);
    running.kill();
    await running.exited;
    await database.drop();
    rmSync(workspaces, { recursive: true, force: true });
  };
  const rejectFailedTasks = () => {
    const failed = started
      .flatMap((worker) => worker.takeLog().split('\n'))
      .filter((line) => line.includes(TASK_FAILED) && !STOOD_STILL.some((cause) => line.includes(cause)));
    started.splice(0, started.length, ...workers);
    if (failed.length > 0)
      throw new Error(`${failed.length} workflow tasks have failed:\n${failed.slice(0, 3).join('\n')}`);
  };
  try {
    const [api] = await Promise.all([addApi(), options.worker === null ? undefined : addWorker()]);
    const killWorkers = async () => {
      await Promise.all(workers.map((worker) => worker.kill()));
      await expireLeases(api.database);
      await missHeartbeats(temporal.address);
    };
    return {
      database,
      temporal,
      api,
      workers,
      workspaces,
      addWorker,
      killWorkers,
      loseTemporalStore,
      addApi,
      rejectFailedTasks,
      end,
      kill,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

async function startTestTemporal(dynamicConfig: Record<string, string>, port?: number): Promise<Temporal> {
  const { temporalBinary: binary } = sharedServices();
  return startTemporal({ binary, port: port ?? (await freePort()), dynamicConfig, log: () => undefined });
}
