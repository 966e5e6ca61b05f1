import { lstat, opendir } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { errnoOf, type Folder } from './folder.ts';

/** One name that the walk has reached, and its folder, which is open until the walk continues. */
export interface Found {
  readonly folder: Folder;
  readonly name: string;
  /** Relative to the start of the walk. */
  readonly path: string;
  readonly stats: Stats;
}

interface WalkOptions {
  /** Levels below the folder. */
  readonly maxDepth: number;
  /** The total number of names to visit; the walk ends there. */
  readonly maxNames: number;
}

/**
 * Yields everything in a folder and below, each folder by name and before its contents. Links are not followed; entries
 * that disappear in the meantime are skipped. The caller closes the folder.
 */
export async function* walk(folder: Folder, options: WalkOptions): AsyncGenerator<Found, void, undefined> {
  const budget = { names: options.maxNames };
  yield* walkBelow({ folder, prefix: '', depth: options.maxDepth, budget });
}

interface Level {
  readonly folder: Folder;
  readonly prefix: string;
  readonly depth: number;
  readonly budget: { names: number };
}

async function* walkBelow({ folder, prefix, depth, budget }: Level): AsyncGenerator<Found, void, undefined> {
  for (const name of await namesOf(folder, budget)) {
    const stats = await unlessGone(lstat(folder.at(name)));
    if (stats === undefined) continue;
    const path = `${prefix}${name}`;
    yield { folder, name, path, stats };
    if (!stats.isDirectory() || depth <= 1) continue;
    const inner = await unlessGone(folder.open(name));
    if (inner === undefined) continue;
    try {
      yield* walkBelow({ folder: inner, prefix: `${path}/`, depth: depth - 1, budget });
    } finally {
      await inner[Symbol.asyncDispose]();
    }
  }
}

async function namesOf(folder: Folder, budget: { names: number }): Promise<string[]> {
  const names: string[] = [];
  if (budget.names <= 0) return names;
  for await (const { name } of await opendir(folder.self)) {
    names.push(name);
    budget.names -= 1;
    if (budget.names <= 0) break;
  }
  return names.toSorted();
}

// ENOTDIR and ELOOP: it has been replaced by something else.
async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(errnoOf(error))) return undefined;
    throw error;
  }
}
