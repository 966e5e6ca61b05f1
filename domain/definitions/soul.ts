import { jsonObject } from '../core/text.ts';

const MAX_VALUES = 1_000;

/** Makes a schema for a soul: free-form JSON of a size that a prompt can hold. */
export function soulObject() {
  return jsonObject().refine((soul) => countValues(soul) <= MAX_VALUES, `must not hold more than ${MAX_VALUES} values`);
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 0;
  for (const part of Object.values(value)) count += countValues(part);
  return count + 1;
}
