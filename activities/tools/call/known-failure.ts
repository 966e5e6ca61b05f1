import { isDatabaseUnavailable, isSerializationFailure, isStatementTimeout } from '../../../db/core/index.ts';
import { AppError, type AppErrorCode } from '../../../domain/core/app-error.ts';
import { FileGone } from '../../../files/index.ts';
import { machineCodeOf } from '../../core/passing-error.ts';
import { DISK_FULL, ToolFailure, type ToolFailureClass } from '../tool-failure.ts';

const KINDS: ReadonlyMap<AppErrorCode, ToolFailureClass> = new Map([
  ['not_found', 'not_found'],
  ['forbidden', 'denied'],
  ['unavailable', 'upstream'],
  ['upstream_failed', 'upstream'],
]);

const DISK_CODES: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

/** Returns whether an error, or a failure that stands for it, means that the disk is full. */
export function isDiskFull(error: unknown): boolean {
  return DISK_CODES.has(machineCodeOf(error));
}

/**
 * Returns what a model is told of an error; undefined for a fault, such as a bug. What `onlyReads` has had no effect
 * when its connection is lost.
 */
export function knownFailureOf(error: unknown, { onlyReads = true } = {}): ToolFailure | undefined {
  if (error instanceof ToolFailure) return error;
  const words = (kind: ToolFailureClass, message: string) => new ToolFailure(kind, message, { cause: error });
  if (error instanceof AppError) return words(KINDS.get(error.code) ?? 'invalid_input', error.message);
  if (error instanceof FileGone) return words('not_found', 'A stored file is gone');
  if (isStatementTimeout(error)) return words('timeout', 'This took too long; use fewer words');
  if (isSerializationFailure(error))
    return words('upstream', 'The same records were changed by others meanwhile; repeat the call');
  if (isDiskFull(error)) return words('upstream', DISK_FULL);
  if (machineCodeOf(error) !== undefined)
    return words('upstream', 'The server lacks files, memory or processes for now; repeat the call later');
  if (isDatabaseUnavailable(error))
    return new ToolFailure('upstream', 'A connection was lost', { isUncertain: !onlyReads, cause: error });
  return undefined;
}
