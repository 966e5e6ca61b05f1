import { AppError } from './app-error.ts';

/** A fault in the value of a field: the name of the field, what leads to the fault within it, and what is wrong. */
export interface FieldFault {
  readonly path: readonly [field: string, ...within: (string | number)[]];
  readonly message: string;
}

/** Values of fields are invalid. The message is that of the first fault. */
export class InvalidFields extends AppError {
  readonly faults: readonly FieldFault[];

  constructor([first, ...others]: readonly [FieldFault, ...FieldFault[]]) {
    super('unprocessable', first.message);
    this.faults = [first, ...others];
  }
}

/** Throws `InvalidFields` when there are faults. */
export function rejectFaults([first, ...others]: readonly FieldFault[]): void {
  if (first !== undefined) throw new InvalidFields([first, ...others]);
}
