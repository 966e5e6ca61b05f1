import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { isSourceNumber, withPlainNumbers } from '../../../domain/core/exact-json.ts';
import { isObject } from '../../../domain/core/objects.ts';
import type { FormText } from '../text.ts';
import { parseJson } from '../../core/http/api-client.ts';
import { type Drafts, useDrafts } from '../../core/drafts.ts';
import { OrgContext, useSession } from '../../core/session/session-context.tsx';

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

/** The drafts of record forms, by the keys that the forms have: what was typed in one organization stays in it. */
export interface RecordDrafts extends Pick<Drafts, 'read' | 'write'> {
  /** Removes the drafts of a record that is gone, with those of its parts (`key.part`), and what open forms hold. */
  forget(...draftKeys: readonly string[]): void;
  /** Calls back when a draft is to be forgotten; returns what ends that. */
  onForget(draftKey: string, listener: () => void): () => void;
}

interface Listener {
  readonly key: string;
  readonly run: () => void;
}

const listeners = new Set<Listener>();

/** Returns the drafts of the page's organization, or of none outside of organizations. */
export function useRecordDrafts(): RecordDrafts {
  const [drafts, orgId] = [useDrafts(), useContext(OrgContext)];
  return useMemo(() => {
    const keyOf = (draftKey: string) => (orgId === undefined ? draftKey : `${orgId}.${draftKey}`);
    return {
      read: (draftKey) => drafts.read(keyOf(draftKey)),
      write: (draftKey, text) => drafts.write(keyOf(draftKey), text),
      forget: (...draftKeys) => {
        for (const gone of draftKeys.map(keyOf)) {
          const isGone = (key: string) => key === gone || key.startsWith(`${gone}.`);
          for (const { key, run } of listeners) if (isGone(key)) run();
          for (const key of drafts.keys(gone).filter(isGone)) drafts.write(key, '');
        }
      },
      onForget: (draftKey, run) => {
        const listener = { key: keyOf(draftKey), run };
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
  }, [drafts, orgId]);
}

/** What a field of a record is given: spread it into the field. */
export interface RecordField<V> {
  readonly name: string;
  readonly value: V;
  readonly onValueChange: (value: V) => void;
}

/** A record that is being changed. */
export interface EditedRecord<T extends RecordValues> {
  /** Its values as they are to be. */
  readonly values: T;
  readonly edit: RecordEdit<T>;
  field<K extends keyof T & string>(name: K): RecordField<T[K]>;
  /** Changes several values at once; `seen` are those that they were changed from, where others are stored by now. */
  change(values: Partial<T>, seen?: Partial<T>): void;
  /** Leaves some values as they are stored. */
  leave(keys: readonly (keyof T & string)[]): void;
  /** Forgets all changes. */
  discard(): void;
  /** Notes that some changes are stored, also when the form is gone by then. */
  saved(sent: Partial<T>): void;
}

const DRAFT_MS = 300;

/**
 * Returns a record that is changed here, with its changes kept in this browser until they are stored. What is stored
 * may be read again meanwhile: values that were not changed here follow it. `unkept` are not written to the browser.
 */
export function useRecord<T extends RecordValues>(
  draftKey: string,
  stored: T,
  unkept: readonly (keyof T & string)[],
): EditedRecord<T> {
  const [drafts, session] = [useRecordDrafts(), useSession()];
  const [edit, setEdit] = useState(() => readEdit(drafts.read(draftKey), stored));
  const draft = writeEdit(edit, unkept);
  const latest = useRef({ edit, draft });
  useEffect(() => {
    latest.current = { edit, draft };
    const timer = setTimeout(() => drafts.write(draftKey, draft), DRAFT_MS);
    return () => clearTimeout(timer);
  }, [drafts, draftKey, edit, draft]);
  const write = useCallback(() => {
    // Who signs out leaves no draft behind, also when the page goes away only after that.
    if (session.state !== 'none') drafts.write(draftKey, latest.current.draft);
  }, [session, drafts, draftKey]);
  useEffect(() => {
    window.addEventListener('pagehide', write);
    return () => {
      window.removeEventListener('pagehide', write);
      write();
    };
  }, [write]);
  // The draft follows at once: the form may be gone before it is rendered again.
  const settle = (rest: RecordEdit<T>) => {
    latest.current = { edit: rest, draft: writeEdit(rest, unkept) };
    write();
    setEdit(rest);
  };
  const forget = useRef(() => undefined as void);
  useEffect(() => {
    forget.current = () => settle(noEdit<T>());
  });
  useEffect(() => drafts.onForget(draftKey, () => forget.current()), [drafts, draftKey]);
  const values = useMemo(() => ({ ...stored, ...edit.changes }), [stored, edit]);
  return {
    values,
    edit,
    field: (name) => ({
      name,
      value: values[name],
      onValueChange: (value) => setEdit((last) => withChange(last, stored, name, value)),
    }),
    change: (changed, seen) =>
      setEdit((last) =>
        keysOf(changed).reduce(
          (edit, key) => withChange(edit, stored, key, changed[key] as T[typeof key], seen?.[key]),
          last,
        ),
      ),
    leave: (keys) => setEdit((last) => without(last, keys)),
    discard: () => settle(noEdit<T>()),
    saved: (sent) => settle(afterSaving(latest.current.edit, sent)),
  };
}

/** What has become of a field since it was read. */
export interface FieldEdit {
  readonly isChanged: boolean;
  /** What somebody else has stored meanwhile, in place of the value that was changed here. */
  readonly theirs?: { readonly words: string; readonly take: () => void };
}

const UNCHANGED: FieldEdit = { isChanged: false };

/** What has become of the fields of the form around, by their names. */
export const EditedFields = createContext<ReadonlyMap<string, FieldEdit>>(new Map());

/** Returns what has become of a field in the form around it; nothing in a form that edits no record. */
export function useFieldEdit(name: string): FieldEdit {
  return useContext(EditedFields).get(name) ?? UNCHANGED;
}

/** Returns the fields of a record that a form changes: those that a new one begins with. */
export function fieldsLike<T extends RecordValues>(begins: T, record: { readonly [K in keyof T]: unknown }): T {
  return Object.fromEntries(Object.keys(begins).map((name) => [name, record[name as keyof T]])) as T;
}
