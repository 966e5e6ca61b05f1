import { Connection } from '@temporalio/client';
import { startTemporal } from '../../scripts/stack/temporal/start-temporal.ts';
import { freePort } from '../support/free-port.ts';
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model/index.ts';
import { sharedServices } from '../support/shared-services.ts';
import { TEST_SECRET_KEY } from '../support/test-api.ts';
import { createTestDatabase } from '../support/test-database.ts';
import type { Undo } from '../support/undo.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startWatchedProcess, type WatchedProcess } from './watched-process.ts';

/** An api and a worker whose memory is watched, with a database, a Temporal server and a model of their own. */
export interface WatchedInstallation {
  readonly apiUrl: string;
  readonly model: ScriptedModel;
  readonly api: WatchedProcess;
  readonly worker: WatchedProcess;
  readonly temporal: Connection;
}

interface WatchedInstallationOptions {
  /** Bound on the heap of a worker; that of Node unless given. */
  readonly workerHeapMegabytes?: number;
  /** A further host that the parts may reach though it is private. */
  readonly privateHost?: string;
}

/** Starts an installation, and resolves when its api is ready; `undo` takes it down. */
export async function startWatchedInstallation(
  undo: Undo,
  { workerHeapMegabytes, privateHost }: WatchedInstallationOptions = {},
): Promise<WatchedInstallation> {
  const database = await createTestDatabase();
  undo.add(database.drop);
  const server = await startTemporal({
    binary: sharedServices().temporalBinary,
    port: await freePort(),
    log: () => undefined,
  });
  undo.add(server.stop);
  const model = await startScriptedModel({ journalLimit: 100 });
  undo.add(model.close);
  const temporal = await Connection.connect({ address: server.address });
  undo.add(async () => temporal.close());
  const port = await freePort();
  const environment = {
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: server.address,
    SECRET_KEY: TEST_SECRET_KEY,
    ALLOW_PRIVATE_HOSTS: [`127.0.0.1:${model.port}`, ...(privateHost === undefined ? [] : [privateHost])].join(','),
    // However busy the machine is.
    MODEL_FIRST_BYTE_TIMEOUT: '600',
    MODEL_IDLE_TIMEOUT: '600',
    REGISTRATION: 'open',
    PORT: String(port),
    API_RATE_LIMIT: '0',
  };
  const start = (name: WatchedProcess['name'], heapMegabytes?: number): WatchedProcess => {
    const started = startWatchedProcess(name, environment, heapMegabytes);
    undo.add(started.kill);
    return started;
  };
  const [api, worker] = [start('api'), start('worker', workerHeapMegabytes)];
  const apiUrl = `http://127.0.0.1:${port}`;
  const isUp = async () =>
    fetch(`${apiUrl}/readyz`).then(
      ({ ok }) => ok || undefined,
      () => undefined,
    );
  await waitUntil('the api to be ready', isUp);
  return { apiUrl, model, api, worker, temporal };
}
