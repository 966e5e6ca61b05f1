import { AppError } from '../../domain/core/app-error.ts';
import { isUniqueViolation } from '../core/unavailable.ts';

/**
 * Adds a record under an id that its caller has chosen: the same id again, also at the same time, returns the stored
 * record. It is looked for before anything is checked: a repetition of what was stored is not refused for what has
 * changed since.
 */
export async function addOnce<T>(find: () => Promise<T | undefined>, add: () => Promise<T>): Promise<T> {
  const stored = await find();
  if (stored !== undefined) return stored;
  try {
    return await add();
  } catch (error) {
    if (!mayBeStored(error)) throw error;
    // What is wrong is told by the first error, also when the record cannot be looked for.
    const meanwhile = await find().catch(() => undefined);
    if (meanwhile === undefined) throw error;
    return meanwhile;
  }
}

// Another call that adds the same record meets its id or its name, or fills what there is room for.
function mayBeStored(error: unknown): boolean {
  return isUniqueViolation(error) || (error instanceof AppError && error.code === 'conflict');
}
