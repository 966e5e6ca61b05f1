import { types } from 'node:util';
import { cut, toShowable } from '../../../../../domain/core/text.ts';
import { ToolFailure, type ToolFailureClass } from '../../../tool-failure.ts';
import { type Account, RejectedCredentials, saidBy } from '../connections.ts';

const SERVICE = 'S3';
const MAX_CODE = 100;
/** The errors of keys that are good for nothing. */
const REJECTIONS: ReadonlySet<string> = new Set([
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'InvalidToken',
]);
const BUSY: ReadonlySet<string> = new Set([
  // Another write of the same key is under way.
  'ConditionalRequestConflict',
  'SlowDown',
  'RequestLimitExceeded',
  'TooManyRequests',
  'ServiceUnavailable',
]);
/** The names of the library for an answer without a code of the store, as those to HEAD are. */
const NAMELESS: ReadonlySet<string> = new Set(['Unknown', 'UnknownError', 'Error', 'NotFound', 'Forbidden']);

/** Returns the status of the answer that an error of the library is about; undefined when it is about none. */
export function statusOf(error: unknown): number | undefined {
  if (!types.isNativeError(error) || !('$metadata' in error)) return undefined;
  const { $metadata: metadata } = error;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
}

/** Returns whether an error of the library says that the store does not know what was asked, and has done nothing. */
export function isNotImplemented(error: unknown): boolean {
  return statusOf(error) === 501;
}

/**
 * Returns the failure that an error of the library is, in the words of the store. A store that fails in the middle of a
 * write, or answers it with something else, may have made it.
 */
export function s3Failure(error: unknown, account: Pick<Account, 'mask'>, isWriting: boolean): ToolFailure {
  if (error instanceof ToolFailure) return error;
  const status = statusOf(error);
  if (!types.isNativeError(error) || status === undefined || status < 300)
    return noStore({ cause: error, isUncertain: isWriting });
  const code = cut(toShowable(account.mask(error.name)), MAX_CODE);
  if (REJECTIONS.has(code)) return new RejectedCredentials(SERVICE, { cause: error });
  const said = NAMELESS.has(code) ? hintFor(status) : `: ${code}: ${saidBy(account, error)}`;
  const message = `${SERVICE} answers with the status ${status}${said}`;
  return new ToolFailure(BUSY.has(code) ? 'rate_limited' : classOf(status), message, {
    cause: error,
    isForeign: !NAMELESS.has(code),
    isUncertain: isWriting && status >= 500 && !isNotImplemented(error),
  });
}

/** Returns the failure that an answer is which no store gives; `isUncertain` where it is one to a write. */
export function noStore(options: ErrorOptions & { isUncertain?: boolean } = {}): ToolFailure {
  return new ToolFailure('upstream', 'The answer is not that of a store that speaks S3: check the base_url', options);
}

function classOf(status: number): ToolFailureClass {
  if (status === 401 || status === 403) return 'denied';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  return status >= 400 && status < 500 ? 'invalid_input' : 'upstream';
}

function hintFor(status: number): string {
  if (status === 403) return ': these keys may not do that, or it is not there';
  if (status < 400) return ': the bucket is elsewhere; check the region and the base_url of the integration';
  return '';
}
