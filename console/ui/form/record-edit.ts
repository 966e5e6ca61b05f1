import { isSourceNumber } from '../../../domain/core/exact-json.ts';
import { isObject } from '../../../domain/core/objects.ts';
import { parseJson } from '../../core/http/api-client.ts';

/** The values of a record that a form changes, by the names that the server has for them. JSON. */
export type RecordValues = object;

/** What was changed of a record, and what those values were when they were changed. */
export interface RecordEdit<T extends RecordValues> {
  readonly changes: Partial<T>;
  readonly before: Partial<T>;
}

/** Returns an edit that changes nothing. */
export function noEdit<T extends RecordValues>(): RecordEdit<T> {
  return { changes: {}, before: {} };
}

/** Returns whether two values of JSON are the same. The order of keys counts: the server keeps it. */
export function isSame(one: unknown, other: unknown): boolean {
  return Object.is(one, other) || JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Returns an edit in which a value is changed as well; one that is what is stored is no change. `seen` is what it was
 * changed from, where that is not what is stored by now.
 */
export function withChange<T extends RecordValues, K extends keyof T>(
  edit: RecordEdit<T>,
  stored: T,
  key: K,
  value: T[K],
  seen = stored[key],
): RecordEdit<T> {
  if (isSame(value, stored[key])) return without(edit, [key]);
  const before = key in edit.before ? edit.before : { ...edit.before, [key]: seen };
  return { changes: { ...edit.changes, [key]: value }, before };
}

/** Returns an edit in which some values are left as they are stored. */
export function without<T extends RecordValues>(edit: RecordEdit<T>, keys: readonly (keyof T)[]): RecordEdit<T> {
  const keep = <V extends object>(values: V) =>
    Object.fromEntries(Object.entries(values).filter(([key]) => !keys.includes(key as keyof T))) as V;
  return { changes: keep(edit.changes), before: keep(edit.before) };
}

/** Returns what is left of an edit once some changes are stored: what was changed anew while they were sent. */
export function afterSaving<T extends RecordValues>(edit: RecordEdit<T>, sent: Partial<T>): RecordEdit<T> {
  const done = keysOf(sent).filter((key) => isSame(edit.changes[key], sent[key]));
  const rest = without(edit, done);
  // What is changed anew is changed from what was sent, not from what was there before that.
  const before = Object.fromEntries(
    keysOf(rest.before).map((key) => [key, key in sent ? sent[key] : rest.before[key]]),
  );
  return { changes: rest.changes, before: before as Partial<T> };
}

/** Returns the changed values that somebody else has changed as well, and stored. */
export function contestedKeys<T extends RecordValues>(edit: RecordEdit<T>, stored: T): (keyof T & string)[] {
  return keysOf(edit.changes).filter(
    (key) => !isSame(edit.before[key], stored[key]) && !isSame(edit.changes[key], stored[key]),
  );
}

/** Returns which values are others than those that were seen. */
export function changesFrom<T extends RecordValues>(seen: Partial<T>, values: Partial<T>): Partial<T> {
  const changed = Object.entries(values).filter(([key, value]) => !isSame(value, seen[key as keyof T]));
  return Object.fromEntries(changed) as Partial<T>;
}

/** Returns the names of what was changed. */
export function keysOf<T extends RecordValues>(values: Partial<T>): (keyof T & string)[] {
  return Object.keys(values) as (keyof T & string)[];
}

/** Writes an edit as a draft, without the values that are not to be kept; '' when nothing is left. */
export function writeEdit<T extends RecordValues>(edit: RecordEdit<T>, unkept: readonly (keyof T)[]): string {
  const kept = without(edit, unkept);
  return keysOf(kept.changes).length === 0 ? '' : JSON.stringify(kept);
}

/** Reads an edit from a draft. What the record does not have, or has of another kind by now, is left out. */
export function readEdit<T extends RecordValues>(draft: string, stored: T): RecordEdit<T> {
  const { changes, before } = parse(draft) as { changes?: Partial<T>; before?: Partial<T> };
  if (!isObject(changes) || !isObject(before)) return noEdit<T>();
  const edit: RecordEdit<T> = { changes, before };
  const unfit = keysOf(changes).filter((key) => !(key in stored) || !isAlike(changes[key], stored[key]));
  const done = keysOf(changes).filter((key) => isSame(changes[key], stored[key]));
  return without(edit, [...unfit, ...done]);
}

function parse(draft: string): object {
  if (draft === '') return {};
  try {
    const value = parseJson(draft);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Returns whether two values of JSON are of one kind; nothing is of every kind. */
export function isAlike(one: unknown, other: unknown): boolean {
  if (one === null || other === null) return true;
  return kindOf(one) === kindOf(other);
}

function kindOf(value: unknown): string {
  if (isSourceNumber(value)) return 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}
