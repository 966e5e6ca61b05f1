import { Connection } from '@temporalio/client';
import { type PartProcess, spawnPart } from '../../scripts/stack/parts/spawn-part.ts';
import { freePort } from './free-port.ts';
import { sharedServices } from './shared-services.ts';
import { waitUntil } from './wait-until.ts';

/** Temporal's development server as it is, with none of our settings. */
export interface BareTemporal {
  readonly address: string;
  /** Ends it as `npm start` does. */
  stop(): Promise<void>;
}

/**
 * Starts Temporal's development server on a file, which stays as the server makes it: one file, without a write-ahead
 * log.
 */
export async function startBareTemporal(dbFile: string): Promise<BareTemporal> {
  const port = await freePort();
  const part = await spawnPart({
    command: sharedServices().temporalBinary,
    args: [
      'server',
      'start-dev',
      '--headless',
      '--ip=127.0.0.1',
      `--port=${port}`,
      '--log-level=error',
      '--db-filename',
      dbFile,
    ],
    log: () => undefined,
  });
  const address = `127.0.0.1:${port}`;
  await waitUntil('the answer of a bare Temporal server', async () => responds(address, part));
  return { address, stop: async () => part.end([{ signal: 'SIGTERM', limitMs: 10_000 }]) };
}

async function responds(address: string, part: PartProcess): Promise<true | undefined> {
  if (part.hasExited()) throw new Error(`the server ended: ${part.recentOutput()}`);
  try {
    const connection = await Connection.connect({ address, connectTimeout: 1000 });
    await connection.workflowService.describeNamespace({ namespace: 'default' });
    await connection.close();
    return true;
  } catch {
    return undefined;
  }
}
