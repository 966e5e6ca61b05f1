import { AppError } from '../../domain/core/app-error.ts';
import { isUniqueViolation } from '../core/unavailable.ts';

/** Throws a conflict when a statement failed because an e-mail address is taken; rethrows every other error. */
export function rejectTakenAddress(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  throw new AppError('conflict', 'An account with this e-mail address already exists', { cause: error });
}
