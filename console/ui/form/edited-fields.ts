import { createContext, useContext } from 'react';

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
