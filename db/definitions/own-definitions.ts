import type { DefinitionHead, DefinitionKind } from '../../domain/definitions/index.ts';

/** A definition of an organization; its revision grows with each change. */
export interface OwnHead extends DefinitionHead {
  readonly revision: number;
}

/** A row of the statement that reads them: without an id, the organization has none left. */
export type OwnRow = { readonly current: number } & (OwnHead | { readonly id: null });

/** The definitions of one organization at one version, without their content. */
export class OwnDefinitions {
  static readonly NONE = new OwnDefinitions([]);

  readonly version: number;
  /** About the size that they take in memory. */
  readonly characters: number;
  readonly #byKey: ReadonlyMap<string, OwnHead>;
  readonly #byId: ReadonlyMap<string, OwnHead>;

  constructor(rows: readonly OwnRow[]) {
    const heads = rows.flatMap((row) => (row.id === null ? [] : [row]));
    this.version = rows[0]?.current ?? 0;
    this.characters = heads.reduce((sum, { description }) => sum + 500 + description.length, 200);
    this.#byKey = new Map(heads.map((head) => [`${head.kind}/${head.key}`, head]));
    this.#byId = new Map(heads.map((head) => [head.id, head]));
  }

  find(kind: DefinitionKind, key: string): OwnHead | undefined {
    return this.#byKey.get(`${kind}/${key}`);
  }

  findById(kind: DefinitionKind, id: string): OwnHead | undefined {
    const head = this.#byId.get(id);
    return head?.kind === kind ? head : undefined;
  }

  all(kind: DefinitionKind): readonly OwnHead[] {
    return [...this.#byId.values()].filter((head) => head.kind === kind);
  }
}
