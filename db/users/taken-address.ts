import { AppError } from '../../domain/core/app-error.ts';
import { sqlState } from '../core/unavailable.ts';

const UNIQUE_VIOLATION = '23505';

/** Throws a conflict when a statement failed because an e-mail address is taken; rethrows every other error. */
export function rejectTakenAddress(error: unknown): never {
  if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
  throw new AppError('conflict', 'An account with this e-mail address already exists', { cause: error });
}
