import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { useSession } from '../../core/session/session-context.tsx';
import { useRecordDrafts } from './record-drafts.ts';
import {
  afterSaving,
  keysOf,
  noEdit,
  readEdit,
  type RecordEdit,
  type RecordValues,
  withChange,
  without,
  writeEdit,
} from './record-edit.ts';

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
