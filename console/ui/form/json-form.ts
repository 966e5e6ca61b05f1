import { withPlainNumbers } from '../../../domain/core/exact-json.ts';
import { isObject } from '../../../domain/core/objects.ts';
import { type RecordValues, isAlike, keysOf } from './use-record.ts';
import type { FormText } from '../text.ts';

/** How the values of a record are written as JSON: in the form in which the api takes them, without secrets. */
export interface JsonForm<T extends RecordValues> {
  /** Returns values as JSON. The names are the same for all values. */
  readonly write: (values: T) => object;
  /** Returns the values that JSON stands for, of which each name is of the kind that `write` gives it. */
  readonly read: (body: never) => Partial<T>;
  /** Names in JSON whose values are of any kind: their numbers stay as they were typed. */
  readonly free?: readonly string[];
}

interface PlainJsonOptions<T extends RecordValues> {
  readonly secrets?: readonly (keyof T & string)[];
  readonly free?: readonly (keyof T & string)[];
}

/** Returns how values are written whose names and kinds are those of the api. Secrets among them are left out. */
export function plainJson<T extends RecordValues>({ secrets = [], free = [] }: PlainJsonOptions<T> = {}): JsonForm<T> {
  return {
    free,
    write: (values) =>
      Object.fromEntries(Object.entries(values).filter(([key]) => !secrets.some((each) => each === key))),
    read: (body) => body,
  };
}

type FaultWords = Pick<FormText, 'noObject' | 'unknown' | 'missing' | 'wrongKind' | 'unfit'>;

/** Says why JSON is not a record as it is stored; undefined when it is, as far as that can be known here. */
export function faultOf<T extends RecordValues>(
  { json, stored, text }: { readonly json: JsonForm<T>; readonly stored: T; readonly text: FaultWords },
  value: unknown,
): string | undefined {
  if (!isObject(value)) return text.noObject;
  const [known, given] = [json.write(stored) as Record<string, unknown>, typedBody(json, value)];
  const unknown = Object.keys(given).find((key) => !(key in known));
  if (unknown !== undefined) return text.unknown(unknown);
  const missing = keysOf(known).find((key) => !(key in given));
  if (missing !== undefined) return text.missing(missing);
  const unlike = keysOf(known).find((key) => !isAlike(known[key], given[key]));
  if (unlike !== undefined) return text.wrongKind(unlike);
  return isLossless(json, stored, given) ? undefined : text.unfit;
}

/** Returns the values that JSON, as it was typed, stands for. */
export function readBody<T extends RecordValues>(json: JsonForm<T>, body: object): Partial<T> {
  return json.read(typedBody(json, body) as never);
}

/** Returns the JSON of a record once some JSON was read into it. */
export function writtenOf<T extends RecordValues>(json: JsonForm<T>, stored: T, body: object): object {
  return json.write({ ...stored, ...readBody(json, body) });
}

// Forms calculate with numbers: 1.0 is one of them, unlike the value that keeps its text.
function typedBody<T extends RecordValues>({ free = [] }: JsonForm<T>, body: object): Record<string, unknown> {
  const entries: [string, unknown][] = Object.entries(body);
  return Object.fromEntries(entries.map(([key, value]) => [key, free.includes(key) ? value : withPlainNumbers(value)]));
}

/** Returns whether all that JSON says is in the values that are read from it. */
function isLossless<T extends RecordValues>(json: JsonForm<T>, stored: T, body: object): boolean {
  try {
    return inOrder(writtenOf(json, stored, body)) === inOrder(body);
  } catch {
    // What reads it has met something that it does not know.
    return false;
  }
}

/** Writes a value with its names in order, so that it can be compared. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (!isObject(part)) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });
}
