import { notFound } from '../../domain/core/app-error.ts';
import type {
  Definition,
  DefinitionHead,
  DefinitionKind,
  ShippedDefinitions,
} from '../../domain/definitions/definition.ts';
import { MAX_FILE_BYTES } from '../../domain/definitions/files.ts';
import { resourceOf } from '../../domain/resources.ts';
import { LRUCache } from 'lru-cache';
import { KeyedSemaphore } from '../../domain/core/keyed-semaphore.ts';
import { DatabaseBusy } from '../core/unavailable.ts';
import type { Payers } from '../core/sql-pool.ts';
import type { TenantDatabase } from '../core/database.ts';
import {
  definitionFileOf,
  definitionsForTurns,
  ownDefinitions,
  OwnDefinitions,
  type OwnHead,
  versionOf,
} from './statements.ts';

const RESOURCES = { tool: 'tools', skill: 'skills', persona: 'personas' } as const;

/** Makes the error for a definition that there is not. */
export function definitionNotFound(kind: DefinitionKind) {
  return notFound(resourceOf(RESOURCES[kind]).name);
}

/** The characters of the heads and of the files that a process keeps. */
const MAX_HEAD_CHARACTERS = 16_000_000;
const MAX_FILE_CHARACTERS = 32_000_000;
/** The characters of files after which one read returns no further ones. */
const MAX_READ_CHARACTERS = 2_000_000;
/** Definitions of one statement: with files of the largest size, its result is a few megabytes. */
const BATCH = 8;
/** Statements at once that read files, and those of a payer that wait. */
const MAX_LOADS = 4;
const MAX_WAITING_LOADS = 1_000;

type DefinitionDatabase = TenantDatabase & { readonly payers: Pick<Payers, 'known'> };

/**
 * The definitions in effect in each organization: its own, and those that ship with the service where it has none of
 * their kind and key. What was read is cached, and used as long as the organization's version is the same: nothing is
 * ever older than the version that its reader has seen.
 */
export class Definitions {
  readonly shipped: ShippedDefinitions;
  readonly #database: DefinitionDatabase;
  readonly #own = new LRUCache<string, OwnDefinitions>({
    maxSize: MAX_HEAD_CHARACTERS,
    sizeCalculation: (own) => own.characters,
  });
  readonly #loaded = new LRUCache<string, Definition>({
    maxSize: MAX_FILE_CHARACTERS,
    maxEntrySize: 10 * MAX_FILE_BYTES,
    sizeCalculation: charactersOf,
  });
  // A waiting load finds the results of the one before it.
  readonly #loads = new KeyedSemaphore({
    perKey: 1,
    total: MAX_LOADS,
    maxWaiting: MAX_WAITING_LOADS,
    createError: () => new DatabaseBusy(),
  });

  constructor(database: DefinitionDatabase, shipped: ShippedDefinitions) {
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
   * organization that was read with something else, such as the claim of a turn: what is still valid at that version is
   * not read again. The same object is returned until the definition changes, as long as it is kept. A read returns a
   * bounded amount of text: where the files of an organization's own definitions are too long together, the later ones
   * come without.
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

  /**
   * Returns the persona with an id. The id of a builtin one gives the organization's own persona of its key, if there
   * is one.
   */
  async findPersona(orgId: string, id: string, seen?: number): Promise<Definition | undefined> {
    const own = await this.#ownOf(orgId, seen);
    const shipped = this.shipped.findById('persona', id);
    const head = shipped === undefined ? own.findById('persona', id) : (own.find('persona', shipped.key) ?? shipped);
    const [persona] = await this.#load(orgId, [head]);
    return persona;
  }

  /** Returns all that are in effect, without their content, in the order of their keys. */
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
    const read: Definition[] = [];
    let left = MAX_READ_CHARACTERS;
    for (let at = 0; at < heads.length; at += BATCH) {
      const group = heads.slice(at, at + BATCH);
      for (const definition of await this.#loadGroup(orgId, group, left > 0)) {
        const isShipped = definition.origin === 'builtin';
        read.push(isShipped || left > 0 ? definition : withoutFiles(definition));
        if (!isShipped) left -= textLength(definition);
      }
    }
    return read;
  }

  async #loadGroup(
    orgId: string,
    heads: readonly (OwnHead | Definition)[],
    withFiles: boolean,
  ): Promise<readonly Definition[]> {
    const kept = new Map<string, Definition>();
    const findWanted = () => heads.filter((head) => !kept.has(head.id) && !this.#keep(kept, head)).map(({ id }) => id);
    if (findWanted().length > 0) {
      await this.#loads.run(this.#database.payers.known(orgId), async () => {
        const ids = findWanted();
        if (ids.length === 0) return;
        const rows = await this.#database.tenant.query(orgId, definitionsForTurns(ids, { withFiles }));
        for (const { revision, files, ...row } of rows) {
          const definition: Definition = { ...row, files: new Map(files) };
          if (withFiles) this.#loaded.set(cacheKey({ id: row.id, revision }), definition);
          kept.set(row.id, definition);
        }
      });
    }
    return heads.flatMap(({ id }) => kept.get(id) ?? []);
  }

  // Loaded definitions may be dropped while the rest is read.
  #keep(kept: Map<string, Definition>, head: OwnHead | Definition): boolean {
    const definition = isLoaded(head) ? head : this.#loaded.get(cacheKey(head));
    if (definition !== undefined) kept.set(head.id, definition);
    return definition !== undefined;
  }
}

function withoutFiles(definition: Definition): Definition {
  return { ...definition, files: new Map(), isLeftOut: true };
}

function isLoaded(head: OwnHead | Definition): head is Definition {
  return 'files' in head;
}

function cacheKey({ id, revision }: Pick<OwnHead, 'id' | 'revision'>): string {
  return `${id} ${revision}`;
}

function charactersOf(definition: Definition): number {
  const { paths, persona, description } = definition;
  const characters = 500 + description.length + paths.length * 50 + textLength(definition);
  return characters + (persona === null ? 0 : JSON.stringify(persona).length);
}

function textLength({ files }: Definition): number {
  let characters = 0;
  for (const text of files.values()) characters += text.length;
  return characters;
}
