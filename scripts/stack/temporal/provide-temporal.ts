import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { type TemporalConnection, temporalConnection } from '../../../domain/settings/temporal-connection.ts';
import { StartFailure } from '../core/start-failure.ts';
import type { Settings } from '../env.ts';
import { recordFile } from '../home.ts';
import type { StartContext } from '../start-context.ts';
import { firstSuccess } from '../core/wait.ts';
import { findTemporal } from './find-temporal.ts';
import { startTemporal } from './start-temporal.ts';

/** Resolves to the address of a Temporal server: of the one that the settings name, or of one that is started here. */
export async function provideTemporal(context: StartContext): Promise<string> {
  const { settings, ports, home, parts, stopping, say, openLog } = context;
  const { TEMPORAL_ADDRESS: given, TEMPORAL_NAMESPACE: namespace, TEMPORAL_UI_PORT: uiPort } = settings;
  const port = ports.TEMPORAL_PORT;
  if (given !== undefined) {
    await requireTemporal(given, namespace, { connection: readConnection(settings), signal: stopping });
    return given;
  }
  const log = openLog('temporal');
  const { path: binary, serverVersion } = await findTemporal({ say, signal: stopping });
  const dbFile = join(home.temporal, `${serverVersion}.db`);
  const server = {
    binary,
    dbFile,
    recordFile: recordFile(home, 'temporal'),
    port,
    uiPort,
    namespace,
    log: log.write,
    say,
  };
  const { address } = await parts.keep({
    key: 'temporal',
    name: 'Temporal',
    log,
    start: (signal) => startTemporal({ ...server, signal }),
  });
  const ui = uiPort === undefined ? '' : `, its UI at http://127.0.0.1:${uiPort}`;
  say(`Temporal ${serverVersion} runs on port ${port}${ui}.`);
  return address;
}

function readConnection(settings: Settings): TemporalConnection {
  try {
    return temporalConnection(settings, readFileSync);
  } catch (error) {
    throw new StartFailure(error instanceof Error ? `${error.message}.` : String(error));
  }
}

/**
 * Resolves when the Temporal server of a given TEMPORAL_ADDRESS responds and has the namespace; otherwise fails with
 * one sentence.
 */
async function requireTemporal(
  address: string,
  namespace: string,
  options: { readonly connection: TemporalConnection; readonly signal?: AbortSignal },
): Promise<void> {
  const reason = await firstSuccess(async () => {
    const connection = await Connection.connect({ address, ...options.connection, connectTimeout: 3000 });
    try {
      await connection.workflowService.describeNamespace({ namespace });
    } finally {
      await connection.close();
    }
  }, options.signal);
  if (reason === undefined) return;
  if (/namespace .*not found/i.test(reason)) {
    throw new StartFailure(`TEMPORAL_NAMESPACE: the Temporal server at ${address} has no namespace ${namespace}.`);
  }
  throw new StartFailure(`TEMPORAL_ADDRESS: no Temporal server answers at ${address} (${reason}).`);
}
