import { AppError } from '../core/app-error.ts';

/** Says that the caller lost the role which a change needs while it was being made. */
export function roleHasChanged(): AppError {
  return new AppError('conflict', 'Your role in the organization has just changed; look at it again');
}
