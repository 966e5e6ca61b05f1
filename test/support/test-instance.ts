import { startTemporal } from '../../scripts/stack/temporal/start-temporal.ts';
import { freePort } from './free-port.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model/index.ts';
import { sharedServices } from './shared-services.ts';
import { startTestApi, TEST_SECRET_KEY, type TestApi, type TestApiOptions } from './test-api.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';
import { startTestWorker, type TestWorker } from './test-worker.ts';

/** What the log of a worker holds for each workflow task that has failed. */
const TASK_FAILED = 'Failing workflow task';

/** The whole product with a database and a Temporal server of its own, and a scripted model to talk to. */
export interface TestInstance {
  readonly api: TestApi;
  readonly model: ScriptedModel;
  readonly temporalAddress: string;
  readonly temporalPid: number;
  readonly databaseUrl: string;
  readonly workers: TestWorker[];
  /** Starts another worker. */
  addWorker(environment?: Record<string, string>): Promise<TestWorker>;
  /** Starts another api process's worth of api, on the same database and Temporal. */
  addApi(options?: Pick<TestApiOptions, 'formerKeys'>): Promise<TestApi>;
  /** Ends it all; throws when a workflow task has failed, which turns that are answered all the same would hide. */
  close(): Promise<void>;
}

interface TestInstanceOptions {
  /** The database to work on, which is dropped at the end; a new one unless given. */
  readonly database?: TestDatabase;
  /** Further environment of the worker. */
  readonly worker?: Record<string, string>;
  /** Ports of this machine that outgoing calls may reach, beside the model's. */
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

export async function startTestInstance(options: TestInstanceOptions = {}): Promise<TestInstance> {
  const [database, temporal, model] = await Promise.all([
    options.database ?? createTestDatabase(),
    startTestTemporal(options.temporalConfig ?? {}),
    startScriptedModel(),
  ]);
  const privateHosts = [model.port, ...(options.openPorts ?? [])].map((port) => `127.0.0.1:${port}`).join(',');
  const { marketplaceIndexes = '', mcpCatalog = '{}' } = options;
  const place = {
    databaseUrl: database.url,
    temporalAddress: temporal.address,
    privateHosts,
    marketplaceIndexes,
    mcpCatalog,
    ...(options.consoleDir !== undefined && { consoleDir: options.consoleDir }),
  };
  const workers: TestWorker[] = [];
  // Tests take workers out of the others.
  const started: TestWorker[] = [];
  const apis: TestApi[] = [];
  const addWorker = async (environment: Record<string, string> = {}) => {
    const worker = await startTestWorker({
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: temporal.address,
      SECRET_KEY: TEST_SECRET_KEY,
      ALLOW_PRIVATE_HOSTS: privateHosts,
      MARKETPLACE_INDEXES: marketplaceIndexes,
      ...options.worker,
      ...environment,
    });
    workers.push(worker);
    started.push(worker);
    return worker;
  };
  const addApi = async (further: Pick<TestApiOptions, 'formerKeys'> = {}) => {
    const api = await startTestApi({ ...place, ...further });
    apis.push(api);
    return api;
  };
  const close = async () => {
    await Promise.all([...workers.map((worker) => worker.kill()), ...apis.map((each) => each.close()), model.close()]);
    await temporal.stop();
    await database.drop();
    rejectFailedTasks(started);
  };
  try {
    const [api] = await Promise.all([addApi(), addWorker()]);
    const { url: databaseUrl } = database;
    const { address: temporalAddress, pid: temporalPid } = temporal;
    return { api, model, temporalAddress, temporalPid, databaseUrl, workers, addWorker, addApi, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function rejectFailedTasks(workers: readonly TestWorker[]): void {
  const failed = workers.flatMap((worker) =>
    worker
      .log()
      .split('\n')
      .filter((line) => line.includes(TASK_FAILED)),
  );
  if (failed.length > 0)
    throw new Error(`${failed.length} workflow tasks have failed:\n${failed.slice(0, 3).join('\n')}`);
}

async function startTestTemporal(dynamicConfig: Record<string, string>) {
  const { temporalBinary } = sharedServices();
  return startTemporal({ binary: temporalBinary, port: await freePort(), dynamicConfig, log: () => undefined });
}
