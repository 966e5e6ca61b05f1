/**
 * Returns, in SQL, the position of a new task on boards: a fractional index with the digits of its id, whose beginning
 * is the time, so that it comes after all that were there, and no two begin at the same place.
 */
export function firstPosition(id: string): string {
  return `'l' || replace(${id}::uuid::text, '-', '') || 'V'`;
}
