import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { v5 as uuidv5 } from 'uuid';
import {
  faultOf,
  namesIn,
  readDefinitionFolder,
  readFolder,
  readItems,
  SCRIPT_FILE,
  scriptIssue,
} from '../definition-files/index.ts';
import { type Definition, DEFINITION_KINDS, type DefinitionKind } from '../domain/definitions/definition.ts';
import type { MarketplaceItem } from '../domain/marketplace.ts';

const BUILTIN_FOLDER = fileURLToPath(new URL('.', import.meta.url));
const FOLDERS: Readonly<Record<DefinitionKind, string>> = { tool: 'tools', skill: 'skills', persona: 'personas' };

// Ids are made of kinds and keys, so that they are the same in every process and version.
const ID_NAMESPACE = 'c0d5a3f4-6b0e-5a0c-9a39-7e2f5d1b8c46';

/** A folder of definition files that was left out. */
export interface FaultyDefinition {
  /** The path of the folder. */
  readonly folder: string;
  readonly reason: string;
}

interface ShippedOptions {
  /** The operator's folder, laid out like this one; none unless given. */
  readonly catalogDir?: string | undefined;
  /** Is told of the operator's definitions that are left out. */
  readonly onFaulty?: (faulty: FaultyDefinition) => void;
}

interface Reading {
  /** Whether the parameters of tools are examined, which takes half a second for the builtin ones. */
  readonly isExamined: boolean;
  readonly onFaulty: (faulty: FaultyDefinition) => void;
}

let builtin: readonly Definition[] | undefined;

/**
 * Returns what ships with the service: the builtin definitions, and the operator's own in place of those of their keys.
 */
export function readShippedDefinitions({ catalogDir, onFaulty }: ShippedOptions = {}): readonly Definition[] {
  builtin ??= DEFINITION_KINDS.flatMap((kind) =>
    readKind(kind, BUILTIN_FOLDER, { isExamined: false, onFaulty: failOn }),
  );
  if (catalogDir === undefined) return builtin;
  const own = readCatalog(catalogDir, onFaulty ?? failOn);
  const ownIds = new Set(own.map(({ id }) => id));
  return [...builtin.filter(({ id }) => !ownIds.has(id)), ...own];
}

function readCatalog(catalogDir: string, onFaulty: (faulty: FaultyDefinition) => void): Definition[] {
  if (existsSync(catalogDir))
    return DEFINITION_KINDS.flatMap((kind) => readKind(kind, catalogDir, { isExamined: true, onFaulty }));
  onFaulty({ folder: catalogDir, reason: 'there is no such folder' });
  return [];
}

function readKind(kind: DefinitionKind, root: string, { isExamined, onFaulty }: Reading): Definition[] {
  const parent = join(root, FOLDERS[kind]);
  if (!existsSync(parent)) return [];
  return namesIn(parent).flatMap((name) => {
    const folder = join(parent, name);
    try {
      return statSync(folder).isDirectory() ? [readOne(kind, name, { folder, isExamined })] : [];
    } catch (error) {
      onFaulty({ folder, reason: error instanceof Error ? error.message : String(error) });
      return [];
    }
  });
}

function readOne(
  kind: DefinitionKind,
  name: string,
  { folder, isExamined }: Pick<Reading, 'isExamined'> & { readonly folder: string },
): Definition {
  const content = readDefinitionFolder(kind, name, readFolder(folder), { isExamined });
  const script = kind === 'tool' ? content.files.get(SCRIPT_FILE) : undefined;
  const issue = script === undefined ? undefined : scriptIssue(script);
  if (issue !== undefined) throw faultOf(SCRIPT_FILE, issue);
  const paths = [...content.files.keys()];
  return { ...content, paths, id: shippedId(kind, content.key), kind, origin: 'builtin', slug: null };
}

/** Returns the id of the definition that ships with the service under a key. */
export function shippedId(kind: DefinitionKind, key: string): string {
  return uuidv5(`${kind}/${key}`, ID_NAMESPACE);
}

// A broken file of our own is a broken installation, so it ends the start.
function failOn({ folder, reason }: FaultyDefinition): never {
  throw new Error(`${folder}: ${reason}`);
}

let items: readonly MarketplaceItem[] | undefined;

/**
 * Returns the items of the marketplace that ship with the service, in the order of their slugs. A broken one is a
 * broken installation, so it ends the start.
 */
export function readShippedItems(): readonly MarketplaceItem[] {
  items ??= readItems(join(BUILTIN_FOLDER, 'marketplace'));
  return items;
}
