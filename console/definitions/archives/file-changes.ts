/** What becomes of a file. */
export interface FileChange {
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'removed' | 'same';
}

type Files = ReadonlyMap<string, string>;

/** Returns how some files differ from others, in the order of their paths. */
export function fileChanges(before: Files, after: Files): FileChange[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return paths.map((path) => ({ path, kind: kindOf(before.get(path), after.get(path)) }));
}

function kindOf(before: string | undefined, after: string | undefined): FileChange['kind'] {
  if (before === undefined) return 'added';
  if (after === undefined) return 'removed';
  return before === after ? 'same' : 'changed';
}
