import { type RegisteredRouter, useNavigate } from '@tanstack/react-router';

type Path = keyof RegisteredRouter['routesByPath'];

/** A page of an organization whose address names no record. */
export type OrgPath = Exclude<Extract<Path, `/o/$orgId/${string}`>, `${string}/` | `/o/$orgId/${string}$${string}`>;

/** A page of an organization whose address ends with the id of a record. */
export type RecordPath = Exclude<
  Extract<Path, `/o/$orgId/${string}/$${string}`>,
  `/o/$orgId/${string}/${string}/${string}`
>;

/** A page on which a new record begins. */
export type NewRecordPath = Extract<OrgPath, `${string}/new`>;

/** Returns the text of a search parameter under its name; nothing for all else, so that addresses stay short. */
export function textParam<Name extends string>(
  search: Readonly<Record<string, unknown>>,
  name: Name,
): { readonly [Key in Name]?: string } {
  const value = search[name];
  return (typeof value === 'string' && value !== '' ? { [name]: value } : {}) as { readonly [Key in Name]?: string };
}

/** Returns the value of a search parameter that is one of a few, under its name; nothing for all else. */
export function choiceParam<Name extends string, const Choice extends string>(
  search: Readonly<Record<string, unknown>>,
  name: Name,
  choices: readonly Choice[],
): { readonly [Key in Name]?: Choice } {
  const found = choices.find((choice) => choice === search[name]);
  return (found === undefined ? {} : { [name]: found }) as { readonly [Key in Name]?: Choice };
}

/** Returns what reads the texts of search parameters, by `textParam`. */
export function texts<const Name extends string>(...names: readonly Name[]) {
  return (search: Readonly<Record<string, unknown>>): { readonly [Key in Name]?: string } =>
    Object.assign({}, ...names.map((name) => textParam(search, name)));
}

/** Returns what reads a search parameter that is one of a few, by `choiceParam`. */
export function choice<const Name extends string, const Choice extends string>(name: Name, choices: readonly Choice[]) {
  return (search: Readonly<Record<string, unknown>>): { readonly [Key in Name]?: Choice } =>
    choiceParam(search, name, choices);
}

/** Changes of what the address of a page says; undefined takes a part away. */
type SearchChanges<Search> = { readonly [K in keyof Search]?: Search[K] | undefined };

/** Returns what changes some of what the address of the page says, without a step of the browser's history. */
export function useChangeSearch<Search extends object>(): (changes: SearchChanges<Search>) => void {
  const navigate = useNavigate();
  return (changes) => {
    const search = (before: object) => {
      const all = Object.entries({ ...before, ...changes });
      return Object.fromEntries(all.filter(([, value]) => value !== undefined));
    };
    void navigate({ to: '.', search, replace: true });
  };
}
