/** A file or folder of a tree. */
export interface TreeNode {
  /** Unique; the path from the top, with slashes. */
  readonly path: string;
  readonly name: string;
  /** What is in a folder; a file has none. */
  readonly children?: readonly TreeNode[];
}

/** A node as a tree shows it now. */
export interface TreeRow {
  readonly node: TreeNode;
  /** From 1. */
  readonly level: number;
  /** Its place among its siblings, from 1, and how many they are. */
  readonly place: number;
  readonly siblings: number;
  readonly parent: string | undefined;
}

/** Makes a tree of the paths of files: folders first, each by name. */
export function treeOfPaths(paths: readonly string[]): readonly TreeNode[] {
  const folders = new Map<string, Map<string, string>>([['', new Map()]]);
  for (const path of new Set(paths)) {
    const parts = path.split('/');
    for (let at = 0; at < parts.length; at += 1) {
      const [folder, whole] = [parts.slice(0, at).join('/'), parts.slice(0, at + 1).join('/')];
      const inside = folders.get(folder) ?? new Map<string, string>();
      folders.set(folder, inside.set(whole, parts[at] ?? ''));
    }
  }
  const nodesIn = (folder: string): readonly TreeNode[] =>
    [...(folders.get(folder) ?? [])]
      .map(([path, name]): TreeNode => (folders.has(path) ? { path, name, children: nodesIn(path) } : { path, name }))
      .toSorted(byKindAndName);
  return nodesIn('');
}

/** Returns the rows of a tree that are to be seen: those in folders that are open. */
export function rowsOf(nodes: readonly TreeNode[], open: ReadonlySet<string>): readonly TreeRow[] {
  const rowsIn = (inside: readonly TreeNode[], level: number, parent?: string): readonly TreeRow[] =>
    inside.flatMap((node, at) => {
      const row: TreeRow = { node, level, place: at + 1, siblings: inside.length, parent };
      const isOpen = node.children !== undefined && open.has(node.path);
      return isOpen ? [row, ...rowsIn(node.children, level + 1, node.path)] : [row];
    });
  return rowsIn(nodes, 1);
}

function byKindAndName(one: TreeNode, other: TreeNode): number {
  const kind = Number(one.children === undefined) - Number(other.children === undefined);
  return kind === 0 ? one.name.localeCompare(other.name) : kind;
}
