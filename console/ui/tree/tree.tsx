import { ChevronDown, ChevronRight, File, Folder } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from 'react';
import { showInvisible } from '../visible.ts';
import classes from './tree.module.css';

interface TreeProps {
  /** What the tree holds, for those who do not see it. */
  readonly label: string;
  readonly nodes: readonly TreeNode[];
  /** The path of the file that is open. */
  readonly selected: string | undefined;
  readonly onSelect: (path: string) => void;
  /** Shows more about a row, such as that it is not saved. */
  readonly note?: (node: TreeNode) => ReactNode;
}

/** A file or folder of a tree. */
interface TreeNode {
  /** Unique; the path from the top, with slashes. */
  readonly path: string;
  readonly name: string;
  /** What is in a folder; a file has none. */
  readonly children?: readonly TreeNode[];
}

/** A node as a tree shows it now. */
interface TreeRow {
  readonly node: TreeNode;
  /** From 1. */
  readonly level: number;
  /** Its place among its siblings, from 1, and how many they are. */
  readonly position: number;
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
function rowsOf(nodes: readonly TreeNode[], open: ReadonlySet<string>): readonly TreeRow[] {
  const rowsIn = (inside: readonly TreeNode[], level: number, parent?: string): readonly TreeRow[] =>
    inside.flatMap((node, at) => {
      const row: TreeRow = { node, level, position: at + 1, siblings: inside.length, parent };
      const isOpen = node.children !== undefined && open.has(node.path);
      return isOpen ? [row, ...rowsIn(node.children, level + 1, node.path)] : [row];
    });
  return rowsIn(nodes, 1);
}

function byKindAndName(one: TreeNode, other: TreeNode): number {
  const kind = Number(one.children === undefined) - Number(other.children === undefined);
  return kind === 0 ? one.name.localeCompare(other.name) : kind;
}

/**
 * A tree of folders and files. Arrows up and down lead through it, right and left open and close folders, Enter opens a
 * file; a letter leads to the next name that begins with it.
 */
export function Tree({ label, nodes, selected, onSelect, note }: TreeProps): ReactNode {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set([...foldersOf(selected), ...topFolders(nodes)]));
  const [active, setActive] = useState(selected);
  const [revealed, setRevealed] = useState(selected);
  if (revealed !== selected) {
    // What is opened from elsewhere, such as a new file, is to be seen.
    setRevealed(selected);
    setOpen((last) => new Set([...last, ...foldersOf(selected)]));
  }
  const list = useRef<HTMLUListElement>(null);
  const rows = useMemo(() => rowsOf(nodes, open), [nodes, open]);
  const reached = rows.find(({ node }) => node.path === active) ?? rows[0];

  const toggle = (path: string) => setOpen((last) => (last.has(path) ? without(last, path) : new Set([...last, path])));
  const act = ({ node }: TreeRow) => (node.children === undefined ? onSelect(node.path) : toggle(node.path));
  const reach = (row: TreeRow | undefined) => {
    if (row === undefined) return;
    setActive(row.node.path);
    const items = list.current?.querySelectorAll<HTMLElement>('[role=treeitem]');
    items?.[rows.indexOf(row)]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (reached === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const run = whatKeyDoes(event.key, { rows, row: reached, isOpen: open.has(reached.node.path), reach, toggle, act });
    if (run === undefined) return;
    event.preventDefault();
    run();
  };
  return (
    // A list is what a tree is made of.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role
    <ul ref={list} role="tree" aria-label={label} className={classes.tree} onKeyDown={onKeyDown}>
      {rows.map((row) => {
        const { node, level, position, siblings } = row;
        const isFolder = node.children !== undefined;
        const isOpen = open.has(node.path);
        return (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- keys are taken by the tree
          <li
            key={node.path}
            role="treeitem"
            aria-level={level}
            aria-posinset={position}
            aria-setsize={siblings}
            aria-expanded={isFolder ? isOpen : undefined}
            aria-selected={node.path === selected}
            tabIndex={row === reached ? 0 : -1}
            className={`line gap-1 ${classes.row}`}
            style={{ paddingInlineStart: `${level * 0.9}rem` }}
            onFocus={() => setActive(node.path)}
            onClick={() => act(row)}
          >
            <span className={classes.icon} aria-hidden>
              {isFolder && (isOpen ? <ChevronDown /> : <ChevronRight />)}
            </span>
            <span className={classes.icon} aria-hidden>
              {isFolder ? <Folder /> : <File />}
            </span>
            <span className="wrap-anywhere flex-1 min-w-0">{showInvisible(node.name)}</span>
            {note?.(node)}
          </li>
        );
      })}
    </ul>
  );
}

interface Reached {
  readonly rows: readonly TreeRow[];
  readonly row: TreeRow;
  readonly isOpen: boolean;
  readonly reach: (row: TreeRow | undefined) => void;
  readonly toggle: (path: string) => void;
  readonly act: (row: TreeRow) => void;
}

/** Returns what a key does at a row, as the pattern of trees has it. */
function whatKeyDoes(key: string, { rows, row, isOpen, reach, toggle, act }: Reached): (() => void) | undefined {
  const at = rows.indexOf(row);
  const { path, children } = row.node;
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => reach(rows[at + 1]),
    ArrowUp: () => reach(rows[at - 1]),
    Home: () => reach(rows[0]),
    End: () => reach(rows.at(-1)),
    Enter: () => act(row),
    ' ': () => act(row),
    ArrowRight: () => {
      if (children === undefined) return;
      if (isOpen) reach(rows[at + 1]?.parent === path ? rows[at + 1] : undefined);
      else toggle(path);
    },
    ArrowLeft: () => {
      if (children !== undefined && isOpen) toggle(path);
      else reach(rows.find(({ node }) => node.path === row.parent));
    },
  };
  if (keys[key] !== undefined) return keys[key];
  if (!/^[\p{L}\p{N}._]$/u.test(key)) return undefined;
  const next = [...rows.slice(at + 1), ...rows.slice(0, at)];
  return () => reach(next.find(({ node }) => node.name.toLowerCase().startsWith(key.toLowerCase())));
}

function foldersOf(path: string | undefined): string[] {
  const parts = path?.split('/').slice(0, -1) ?? [];
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

/** Returns the folders at the top when they are few: their content is then worth the room. */
function topFolders(nodes: readonly TreeNode[]): string[] {
  const folders = nodes.filter(({ children }) => children !== undefined);
  return folders.length > 3 ? [] : folders.map(({ path }) => path);
}

function without(paths: ReadonlySet<string>, path: string): ReadonlySet<string> {
  return new Set([...paths].filter((each) => each !== path));
}
