import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';

/** Reads and validates a JSON file of this folder. An invalid file is a broken installation, so it ends the start. */
export function readJson<T>(path: string, schema: z.ZodType<T>): T {
  const result = schema.safeParse(JSON.parse(readText(path)));
  if (!result.success) throw new Error(`builtin/${path}: ${z.prettifyError(result.error)}`);
  return result.data;
}

export function readText(path: string): string {
  return readFileSync(at(path), 'utf8');
}

/** Returns the names of the folders in a folder, in alphabetical order. */
export function listFolders(path: string): string[] {
  return readdirSync(at(path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted();
}

function at(path: string): URL {
  return new URL(path, import.meta.url);
}

/** A value in which nothing can be changed. */
export type DeepReadonly<T> = { readonly [Key in keyof T]: DeepReadonly<T[Key]> };

/** Freezes a value and everything in it. Builtin content is shared by all requests, so nobody may change it. */
export function deepFreeze<T>(value: T): DeepReadonly<T> {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
