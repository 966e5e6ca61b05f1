import { types } from 'node:util';
import { cut, toShowable } from '../../../../domain/core/text.ts';
import { BlockedAddressError } from '../../../core/network/address-guard.ts';
import { networkErrorOf } from '../../../core/network/network-error.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { Account } from './connections.ts';

const MAX_WORDS = 500;

/** The other side has rejected the credentials of an integration. The message can be shown to people. */
export class RejectedCredentials extends ToolFailure {
  constructor(service: string, options?: ErrorOptions) {
    super('denied', `${service} has rejected the credentials: somebody must look at the integration`, options);
  }
}

/** Returns what the other side says as it may be shown: one line without secrets. */
export function saidBy({ mask }: Pick<Account, 'mask'>, error: unknown): string {
  return cut(toShowable(mask(types.isNativeError(error) ? error.message : String(error))), MAX_WORDS);
}

/** Returns the failure that an error of a connection is; `isUncertain` where what was asked for may be done. */
export function connectionFailure(
  error: unknown,
  account: Pick<Account, 'mask'>,
  { service, isUncertain = false }: { readonly service: string; readonly isUncertain?: boolean },
): ToolFailure {
  for (let cause = error; types.isNativeError(cause); cause = cause.cause) {
    if (cause instanceof ToolFailure) return cause;
    if (cause instanceof BlockedAddressError) return new ToolFailure('denied', cause.message, { cause: error });
    const network = networkErrorOf(cause);
    if (network === undefined) continue;
    return new ToolFailure(network.isTimeout ? 'timeout' : 'upstream', `${service} is not reached: ${network.words}`, {
      cause: error,
      isUncertain: isUncertain && !network.isUnsent,
    });
  }
  const message = `The connection to ${service} failed: ${saidBy(account, error)}`;
  return new ToolFailure('upstream', message, { cause: error, isUncertain, isForeign: true });
}
