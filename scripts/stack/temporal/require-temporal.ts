import { Connection } from '@temporalio/client';

import type { TemporalConnection } from '../../../domain/settings/index.ts';
import { firstSuccess } from '../core/first-success.ts';
import { StartFailure } from '../core/start-failure.ts';

/**
 * Resolves when the Temporal server of a given TEMPORAL_ADDRESS responds and has the namespace; otherwise fails with
 * one sentence.
 */
export async function requireTemporal(
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
