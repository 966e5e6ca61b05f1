import type { Client } from '@temporalio/client';
import { AppError } from '../../domain/core/app-error.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';

/**
 * Runs a short workflow that calls a provider: the api itself reaches none. Throws `unavailable` when that is
 * impossible now, and `limit_reached` while the member has too many of them.
 */
export async function askThroughEngine<Result>(
  { temporal, probes, log }: ApiContext,
  caller: OrgCaller,
  ask: (client: Client) => Promise<Result>,
): Promise<Result> {
  const release = probes.acquire(caller);
  return ask(temporal)
    .finally(release)
    .catch((error: unknown) => {
      log.warn({ err: error }, 'a provider could not be called for a request');
      throw new AppError('unavailable', 'The provider could not be called now; try again shortly', {
        cause: error,
        retryAfterSeconds: 5,
      });
    });
}
