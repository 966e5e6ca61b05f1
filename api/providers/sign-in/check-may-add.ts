import { AppError } from '../../../domain/core/app-error.ts';

/** Rejects a sign-in of somebody who may use certain accounts only: they could not use what comes of it. */
export function checkMayAdd(allowedIds: readonly string[] | undefined): void {
  if (allowedIds === undefined) return;
  throw new AppError(
    'forbidden',
    'Your permission groups allow certain provider accounts only, so you cannot add others',
  );
}
