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
