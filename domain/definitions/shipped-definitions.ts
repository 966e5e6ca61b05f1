import type { Definition, DefinitionKind } from './definition.ts';

/** The definitions that ship with the service or lie in the operator's folder; they are the same for everybody. */
export class ShippedDefinitions {
  readonly #byId: ReadonlyMap<string, Definition>;
  readonly #byKind: ReadonlyMap<DefinitionKind, ReadonlyMap<string, Definition>>;

  constructor(all: readonly Definition[]) {
    this.#byId = new Map(all.map((definition) => [definition.id, definition]));
    const kinds = Map.groupBy(all, ({ kind }) => kind);
    this.#byKind = new Map([...kinds].map(([kind, ofKind]) => [kind, byKey(ofKind)]));
  }

  /** Returns the definition with this id. */
  findById(kind: DefinitionKind, id: string): Definition | undefined {
    const found = this.#byId.get(id);
    return found?.kind === kind ? found : undefined;
  }

  find(kind: DefinitionKind, key: string): Definition | undefined {
    return this.#byKind.get(kind)?.get(key);
  }

  /** Returns all of a kind, in the order of their keys. */
  all(kind: DefinitionKind): readonly Definition[] {
    return [...(this.#byKind.get(kind)?.values() ?? [])];
  }
}

function byKey(definitions: readonly Definition[]): ReadonlyMap<string, Definition> {
  const sorted = definitions.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  return new Map(sorted.map((definition) => [definition.key, definition]));
}
