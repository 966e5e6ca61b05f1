import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Database } from '../db/core/index.ts';
import { readInstallation } from '../db/installation/index.ts';
import { checkNamespace, NamespaceTaken } from '../workflows/housekeeping/client.ts';

/** How often it is asked whose the namespace is: while Temporal has not said, and afterwards, in milliseconds. */
const UNKNOWN_MS = 5_000;
const KNOWN_MS = 60_000;

/**
 * Throws `NamespaceTaken` as soon as Temporal says that the namespace belongs to another installation. Waits for
 * Temporal where it is away; ends when `stop` aborts.
 */
export async function watchClaim(
  { database, temporal }: { readonly database: Database; readonly temporal: Client },
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    const pauseMs = (await isAnswered(database, temporal)) ? KNOWN_MS : UNKNOWN_MS;
    await sleep(pauseMs, undefined, { signal: stop, ref: false }).catch(() => undefined);
  }
}

async function isAnswered(database: Database, temporal: Client): Promise<boolean> {
  try {
    await checkNamespace(temporal, await readInstallation(database));
    return true;
  } catch (error) {
    if (error instanceof NamespaceTaken) throw error;
    return false;
  }
}
