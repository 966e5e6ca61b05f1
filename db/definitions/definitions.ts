import { LRUCache } from 'lru-cache';
import {
  type Definition,
  type DefinitionHead,
  type DefinitionKind,
  MAX_FILE_BYTES,
  type ShippedDefinitions,
} from '../../domain/definitions/index.ts';
import type { TenantDatabase } from '../core/index.ts';
import { OwnDefinitions, type OwnHead } from './own-definitions.ts';
import { definitionFileOf, definitionsForTurns, ownDefinitions, versionOf } from './statements.ts';

/** The characters of the heads and of the files that a process keeps. */
const MAX_HEAD_CHARACTERS = 16_000_000;
const MAX_FILE_CHARACTERS = 64_000_000;
/** Definitions of one statement: with files of the largest size, its result is a few megabytes. */
const BATCH = 16;

/**
 * The definitions that hold in each organization: its own, and those that ship with the service where it has none of
 * their kind and key. What was read is kept, and used as long as the organization's version says that it holds: nothing
 * is ever older than the version that its reader has seen.
 */
export class Definitions {
  readonly shipped: ShippedDefinitions;
  readonly #database: TenantDatabase;
  readonly #own = new LRUCache<string, OwnDefinitions>({
    maxSize: MAX_HEAD_CHARACTERS,
    sizeCalculation: (own) => own.characters,
  });
  readonly #loaded = new LRUCache<string, Definition>({
    maxSize: MAX_FILE_CHARACTERS,
    maxEntrySize: 10 * MAX_FILE_BYTES,
    sizeCalculation: charactersOf,
  });

  constructor(database: TenantDatabase, shipped: ShippedDefinitions) {
    this.#database = database;
    this.shipped = shipped;
  }

  /** Returns the version of the organization's definitions, for several reads that belong together. */
  async versionOf(orgId: string): Promise<number> {
    const [row] = await this.#database.tenant.query(orgId, versionOf(orgId));
    return row?.version ?? 0;
  }

  /**
   * Returns the definitions of these keys that there are, in the order of the keys. `seen` is a version of the
   * organization that was read with something else, such as the claim of a turn: then nothing is read again that holds
   * still. The same object is returned until the definition changes, as long as it is kept.
   */
  async read(
    orgId: string,
    kind: DefinitionKind,
    keys: readonly string[],
    seen?: number,
  ): Promise<readonly Definition[]> {
    if (keys.length === 0) return [];
    const own = await this.#ownOf(orgId, seen);
    const found = keys.map((key) => own.find(kind, key) ?? this.shipped.find(kind, key));
    return this.#load(orgId, found);
  }

  /** Returns the persona that an id stands for: a builtin one's id for the organization's own of its key, if there is one. */
  async findPersona(orgId: string, id: string, seen?: number): Promise<Definition | undefined> {
    const own = await this.#ownOf(orgId, seen);
    const shipped = this.shipped.findById('persona', id);
    const head = shipped === undefined ? own.findById('persona', id) : (own.find('persona', shipped.key) ?? shipped);
    const [persona] = await this.#load(orgId, [head]);
    return persona;
  }

  /** Returns all that hold, without their content, in the order of their keys. */
  async heads(orgId: string, kind: DefinitionKind, seen?: number): Promise<readonly DefinitionHead[]> {
    const own = await this.#ownOf(orgId, seen);
    const shipped = this.shipped.all(kind).filter(({ key }) => own.find(kind, key) === undefined);
    return [...own.all(kind), ...shipped].toSorted((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Returns a file of a definition that was read before; `undefined` when it has none at this path any more. */
  async readFile(orgId: string, definition: Definition, path: string): Promise<string | undefined> {
    const text = definition.files.get(path);
    if (text !== undefined || definition.origin === 'builtin') return text;
    const [file] = await this.#database.tenant.query(orgId, definitionFileOf(definition.id, path));
    return file?.content;
  }

  async #ownOf(orgId: string, seen: number | undefined): Promise<OwnDefinitions> {
    const version = seen ?? (await this.versionOf(orgId));
    if (version === 0) return OwnDefinitions.NONE;
    const known = this.#own.get(orgId);
    if (known !== undefined && known.version >= version) return known;
    const own = new OwnDefinitions(await this.#database.tenant.query(orgId, ownDefinitions(orgId)));
    this.#own.set(orgId, own);
    return own;
  }

  async #load(orgId: string, found: readonly (OwnHead | Definition | undefined)[]): Promise<Definition[]> {
    const heads = found.filter((head) => head !== undefined);
    const wanted = heads.filter((head) => !isLoaded(head) && !this.#loaded.has(cacheKey(head)));
    // What is kept may be dropped while the rest is read.
    const loaded = new Map<string, Definition>();
    for (const head of heads) {
      const kept = isLoaded(head) ? head : this.#loaded.get(cacheKey(head));
      if (kept !== undefined) loaded.set(head.id, kept);
    }
    for (let at = 0; at < wanted.length; at += BATCH) {
      const ids = wanted.slice(at, at + BATCH).map(({ id }) => id);
      for (const { revision, files, ...row } of await this.#database.tenant.query(orgId, definitionsForTurns(ids))) {
        const definition: Definition = { ...row, files: new Map(files) };
        this.#loaded.set(cacheKey({ id: row.id, revision }), definition);
        loaded.set(row.id, definition);
      }
    }
    return heads.flatMap(({ id }) => loaded.get(id) ?? []);
  }
}

function isLoaded(head: OwnHead | Definition): head is Definition {
  return 'files' in head;
}

function cacheKey({ id, revision }: Pick<OwnHead, 'id' | 'revision'>): string {
  return `${id} ${revision}`;
}

function charactersOf({ files, paths, persona, description }: Definition): number {
  let characters = 500 + description.length + paths.length * 50;
  for (const text of files.values()) characters += text.length;
  return characters + (persona === null ? 0 : JSON.stringify(persona).length);
}
