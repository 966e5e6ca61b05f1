import { AppError } from '../../domain/core/app-error.ts';
import type { EditedChoice, Outcome } from './install-item.ts';

/** Digests of what a record was installed as, of what it is, and of what its item holds now. */
interface Digests {
  readonly installed: string | null;
  readonly present: string;
  readonly wanted: string;
}

/** Decides what becomes of a record that was installed from the item before; `refused` when only its editor can say. */
export function decide({ installed, present, wanted }: Digests, edited: EditedChoice): Outcome | 'equal' | 'refused' {
  if (present === wanted) return 'equal';
  if (present === installed || edited === 'replace') return 'updated';
  // There is nothing newer than what was installed, whatever has been made of it.
  if (installed === wanted) return 'unchanged';
  return edited === 'keep' ? 'kept' : 'refused';
}

/**
 * Tells whether what was decided about a record is noted on it, so that nobody is asked again until there is a newer
 * one. Who may not change a record does not keep others from being asked.
 */
export async function isNoted(
  decision: ReturnType<typeof decide>,
  requireMayChange: () => Promise<void>,
): Promise<boolean> {
  if (decision !== 'kept') return decision !== 'unchanged';
  try {
    await requireMayChange();
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'forbidden') return false;
    throw error;
  }
}
