import { AppError } from './app-error.ts';

/** A fault in the value of a field: the name of the field, what leads to the fault within it, and what is wrong. */
export interface FieldFault {
  readonly path: readonly [field: string, ...within: (string | number)[]];
  readonly message: string;
}

/** Values of fields are invalid. The message is that of the first fault unless another is given. */
export class InvalidFields extends AppError {
  readonly faults: readonly FieldFault[];

  constructor(faults: readonly [FieldFault, ...FieldFault[]], message = faults[0].message) {
    super('unprocessable', message);
    this.faults = faults;
  }
}

/** Throws `InvalidFields` when there are faults. */
export function rejectFaults([first, ...others]: readonly FieldFault[]): void {
  if (first !== undefined) throw new InvalidFields([first, ...others]);
}
