import { isStatementTimeout } from '../../../db/core/index.ts';
import { AppError, type AppErrorCode } from '../../../domain/core/app-error.ts';
import { ToolFailure, type ToolFailureClass } from '../tool-failure.ts';

const KINDS: ReadonlyMap<AppErrorCode, ToolFailureClass> = new Map([
  ['not_found', 'not_found'],
  ['forbidden', 'denied'],
]);

/** Runs an operation on records, and throws what it cannot do as a failure of the tool, in words for the model. */
export async function inToolTerms<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isStatementTimeout(error))
      throw new ToolFailure('timeout', 'This took too long; use fewer words', { cause: error });
    if (!(error instanceof AppError)) throw error;
    throw new ToolFailure(KINDS.get(error.code) ?? 'invalid_input', error.message, { cause: error });
  }
}
