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
  /** Keys of the skills and tools that an agent with this persona is given unless it names its own. */
  readonly defaultSkills: readonly string[];
  readonly defaultTools: readonly string[];
}

/** The content of a definition: what an export holds, and an import stores. */
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
   * The files that turns need: of a skill its SKILL.md, unless it is too long to stand in a prompt, of a tool those
   * that say how it is run. Definitions that ship with the service have all of theirs.
   */
  readonly files: DefinitionFiles;
  /** Set where the files are left out, because those of definitions before it in the same read take all the room. */
  readonly isLeftOut?: true;
  /** The paths of all its files, in their order. */
  readonly paths: readonly string[];
  readonly persona: PersonaFields | null;
}
