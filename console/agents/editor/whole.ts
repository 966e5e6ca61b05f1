import type { RecordField } from '../../ui/form/use-record.ts';

/** Makes the field of a whole number that cannot be empty: clearing it keeps the last one until another is typed. */
export function whole(field: RecordField<number>) {
  return {
    name: field.name,
    value: field.value,
    step: 1,
    onValueChange: (value: number | null) => value !== null && field.onValueChange(Math.round(value)),
  };
}
