import { AppError } from '../core/app-error.ts';

/** Makes the error for a caller who lost the necessary role while the change was being made. */
export function roleHasChanged(): AppError {
  return new AppError('conflict', 'Your role in the organization has just changed; reload and try again');
}
