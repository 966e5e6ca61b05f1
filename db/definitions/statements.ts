import type { Definition, DefinitionHead, DefinitionKind } from '../../domain/definitions/definition.ts';
import { MAX_SKILL_CHARACTERS } from '../../domain/prompts/skills.ts';
import type { Statement } from '../core/sql-pool.ts';

const HEAD = `d.id, d.kind, d.key, d.name, d.description, d.category, d.origin, d.version, d.slug, d.revision`;

/** An expression for the version of the definitions of an organization; 0 while it has never had one. */
export function versionIn(orgId: string): string {
  return `coalesce((select v.version from definition_versions v where v.org_id = ${orgId}), 0)`;
}

/** Makes the statement that reads the version of an organization's definitions. */
export function versionOf(orgId: string): Statement<{ version: number }> {
  return { name: 'definitions-version', text: `select ${versionIn('$1')} as version`, values: [orgId] };
}

/**
 * Makes the statement that reads all definitions of an organization without content, and the version that they are of.
 */
export function ownDefinitions(orgId: string): Statement<OwnRow> {
  return {
    name: 'own-definitions',
    text: `select ${HEAD}, v.version as current
      from definition_versions v left join definitions d on d.org_id = v.org_id where v.org_id = $1`,
    values: [orgId],
  };
}

type LoadedRow = Omit<Definition, 'files'> & {
  readonly revision: number;
  readonly files: readonly (readonly [string, string])[];
};

/** The files that decide how a tool is run. Nothing reads others beside them. */
const TOOL_FILES = `('tool.json', 'http.json', 'main.js', 'main.sh')`;

/** Makes the statement that reads definitions as turns use them, or what there is beside their files. */
export function definitionsForTurns(
  ids: readonly string[],
  { withFiles }: { readonly withFiles: boolean },
): Statement<LoadedRow> {
  return {
    name: 'definitions-for-turns',
    text: `select ${HEAD}, d.persona,
        coalesce((select jsonb_agg(f.path order by f.path collate "C") from definition_files f
          where f.definition_id = d.id), '[]') as paths,
        coalesce((select jsonb_agg(jsonb_build_array(f.path, f.content) order by f.path collate "C")
          from definition_files f
          where $2 and f.definition_id = d.id and (
            d.kind = 'tool' and f.path in ${TOOL_FILES}
            or d.kind = 'skill' and f.path = 'SKILL.md' and length(f.content) <= ${MAX_SKILL_CHARACTERS}
          )), '[]') as files
      from definitions d where d.id = any($1::uuid[])`,
    values: [ids, withFiles],
  };
}

/** Makes the statement that reads one file. */
export function definitionFileOf(id: string, path: string): Statement<{ content: string }> {
  return {
    name: 'definition-file',
    text: 'select content from definition_files where definition_id = $1 and path = $2',
    values: [id, path],
  };
}

/** A definition of an organization; its revision grows with each change. */
export interface OwnHead extends DefinitionHead {
  readonly revision: number;
}

/** A row of the statement that reads them: without an id, the organization has none left. */
type OwnRow = { readonly current: number } & (OwnHead | { readonly id: null });

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
