import type { ProbeResult } from '../../workflows/providers/contract.ts';
import { runProviderProbe } from '../../workflows/providers/client.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';

/**
 * Makes one small call with an account. The api itself reaches no provider: a short workflow makes the call. Throws
 * `unavailable` when that is impossible now, and `limit_reached` while too many tests run.
 */
export async function probeAccount(
  { temporal, probes, log }: ApiContext,
  caller: OrgCaller,
  accountId: string,
): Promise<ProbeResult> {
  const { orgId, userId } = caller;
  const release = probes.acquire(caller);
  return runProviderProbe(temporal, { orgId, accountId, userId })
    .finally(release)
    .catch((error: unknown): ProbeResult => {
      log.warn({ err: error }, 'provider test could not be run');
      throw new AppError('unavailable', 'The test could not be run now; try again shortly', {
        cause: error,
        retryAfterSeconds: 5,
      });
    });
}
