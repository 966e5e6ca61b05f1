import { isObject } from '../../domain/core/objects/is-object.ts';
import type { Approval } from './queries.ts';

export type Detail = Approval['details'][number];

/** Returns whether a detail of a call says what an argument does. Numbers and the like are the same by accident. */
export function saysValue(detail: Detail, value: unknown): boolean {
  if (typeof value === 'string') return value === detail.value;
  return (isObject(value) || Array.isArray(value)) && JSON.stringify(value) === detail.value;
}
