import { z } from 'zod';
import { jsonObject, nameText, text } from '../core/text.ts';
import { DEFINITION_KEY, keyIssue } from './files.ts';

/** What organizations define in files: tools, skills and personas. */
export const DEFINITION_KINDS = ['tool', 'skill', 'persona'] as const;
export type DefinitionKind = (typeof DEFINITION_KINDS)[number];

/**
 * Where a definition comes from: it ships with the service or lies in the operator's folder, a member wrote or imported
 * it, or it was installed from the marketplace.
 */
export const DEFINITION_ORIGINS = ['builtin', 'custom', 'marketplace'] as const;
export type DefinitionOrigin = (typeof DEFINITION_ORIGINS)[number];

/** The files of a definition by path, in the order of their paths. */
export type DefinitionFiles = ReadonlyMap<string, string>;

/** The fields that only personas have. */
export interface PersonaFields {
  readonly icon: string;
  readonly systemPrompt: string;
  readonly soul: Readonly<Record<string, unknown>>;
  /** Keys of the skills and tools that an agent with this persona gets unless it names its own. */
  readonly defaultSkills: readonly string[];
  readonly defaultTools: readonly string[];
}

/** The content of a definition: what an export contains, and an import stores. */
export interface DefinitionContent {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly version: string;
  /** Empty for a persona. */
  readonly files: DefinitionFiles;
  /** Null for tools and skills. */
  readonly persona: PersonaFields | null;
}

/** A definition without its content. */
export interface DefinitionHead extends Pick<
  DefinitionContent,
  'key' | 'name' | 'description' | 'category' | 'version'
> {
  /** That of its record; a definition that ships with the service has a stable one. */
  readonly id: string;
  readonly kind: DefinitionKind;
  readonly origin: DefinitionOrigin;
  /** The marketplace item that it was installed from. */
  readonly slug: string | null;
}

/** A definition as turns use it. */
export interface Definition extends DefinitionHead {
  /**
   * The files that turns need: of a skill its SKILL.md, unless it is too long for a prompt, of a tool those that say
   * how it is run. Definitions that ship with the service have all of theirs.
   */
  readonly files: DefinitionFiles;
  /** Set where the files are left out, because those of definitions before it in the same read take all the room. */
  readonly isLeftOut?: true;
  /** The paths of all its files, in their order. */
  readonly paths: readonly string[];
  readonly persona: PersonaFields | null;
}

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

/** The fields of every record, with the rules that apply wherever they are written. */
export const recordFields = {
  key: z
    .string()
    .max(64)
    .refine((key) => keyIssue(key) === undefined, { error: ({ input }) => keyIssue(String(input)) ?? '' })
    .meta({ minLength: 1, pattern: DEFINITION_KEY.source }),
  name: nameText(),
  description: text(5_000),
  version: nameText(50),
};

const MAX_VALUES = 1_000;

/** Creates a schema for a soul: free-form JSON that fits in a prompt. */
export function soulObject() {
  return jsonObject().refine(
    (soul) => countValues(soul) <= MAX_VALUES,
    `must not contain more than ${MAX_VALUES} values`,
  );
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 0;
  for (const part of Object.values(value)) count += countValues(part);
  return count + 1;
}
