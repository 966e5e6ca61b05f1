import { AppError } from '../../domain/core/app-error.ts';
import { runShort } from '../../workflows/short/client.ts';
import type { ResultOf, ShortInputs, TypeOfShort } from '../../workflows/short/contract.ts';
import type { ApiContext, OrgCaller } from './api-context.ts';

interface Probe<Type extends TypeOfShort> {
  readonly type: Type;
  readonly input: ShortInputs[Type];
  /** The error message when there is no result. */
  readonly failure: string;
}

/**
 * Runs a short workflow for a member and waits for its result, since the api itself reaches no service. Throws
 * `limit_reached` while the member has too many of them, and `unavailable` when there is no result.
 */
export async function runProbe<Type extends TypeOfShort>(
  { temporal, probes, log }: Pick<ApiContext, 'temporal' | 'probes' | 'log'>,
  caller: OrgCaller,
  { type, input, failure }: Probe<Type>,
): Promise<ResultOf<Type>> {
  const release = probes.acquire(caller);
  try {
    return await runShort(temporal, type, input);
  } catch (error) {
    log.warn({ err: error, workflow: type }, 'a short workflow for a request had no result');
    throw new AppError('unavailable', failure, { cause: error, retryAfterSeconds: 5 });
  } finally {
    release();
  }
}
