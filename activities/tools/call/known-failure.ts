import { isDatabaseUnavailable, isSerializationFailure, isStatementTimeout } from '../../../db/core/index.ts';
import { AppError, type AppErrorCode } from '../../../domain/core/app-error.ts';
import { FileGone } from '../../../files/index.ts';
import { DatabaseAway, machineCodeOf } from '../../core/passing-error.ts';
import { DISK_FULL, ToolFailure, type ToolFailureClass } from '../tool-failure.ts';

const REFUSALS: ReadonlyMap<AppErrorCode, ToolFailureClass> = new Map([
  ['not_found', 'not_found'],
  ['forbidden', 'denied'],
]);

/** Codes of outages, which may come after a part of the work was done. */
const OUTAGES: ReadonlySet<AppErrorCode> = new Set(['unavailable', 'upstream_failed']);

const DISK_CODES: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

/** What the machine has run out of. */
const EXHAUSTED: ReadonlySet<string | undefined> = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

/** Returns whether an error, or a failure that stands for it, means that the disk is full. */
export function isDiskFull(error: unknown): boolean {
  return DISK_CODES.has(machineCodeOf(error));
}

/** Returns what a model is told of a request that was refused, so that nothing was done; undefined for other errors. */
export function refusalOf(error: unknown): ToolFailure | undefined {
  if (!(error instanceof AppError) || OUTAGES.has(error.code)) return undefined;
  return new ToolFailure(REFUSALS.get(error.code) ?? 'invalid_input', error.message, { cause: error });
}

/**
 * Returns what a model is told of an error; undefined for a fault, such as a bug, and for `DatabaseAway`, after which
 * the next attempt tells the outcome. An outage leaves open what became of a call, unless it `onlyReads`: a part of the
 * work may have been stored before.
 */
export function knownFailureOf(
  error: unknown,
  { onlyReads }: { readonly onlyReads: boolean },
): ToolFailure | undefined {
  if (error instanceof DatabaseAway) return undefined;
  if (error instanceof ToolFailure) return error;
  const refusal = refusalOf(error);
  if (refusal !== undefined) return refusal;
  const outage = (message: string, kind: ToolFailureClass = 'upstream') =>
    new ToolFailure(kind, message, { isUncertain: !onlyReads, cause: error });
  const passing = (message: string) => outage(onlyReads ? `${message}; repeat the call later` : message);
  if (error instanceof AppError) return outage(error.message);
  if (error instanceof FileGone) return new ToolFailure('not_found', 'A stored file is gone', { cause: error });
  if (isStatementTimeout(error)) return outage('The database took too long', 'timeout');
  if (isSerializationFailure(error)) return passing('Others changed the same records at the same time');
  if (isDiskFull(error)) return outage(DISK_FULL);
  if (EXHAUSTED.has(machineCodeOf(error))) return passing('The server lacks files, memory or processes for now');
  if (isDatabaseUnavailable(error)) return passing('A connection was lost');
  return undefined;
}

/** Formats the error of a call that failed or was not made, for the model. */
export function toolError(kind: ToolFailureClass, message: string): string {
  return JSON.stringify({ error: { class: kind, message: message.toWellFormed() } });
}
