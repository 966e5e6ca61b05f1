import { useNavigate } from '@tanstack/react-router';

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
