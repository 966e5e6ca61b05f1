/** A JSON Schema, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>;

/** What a wire format takes of the tools that it is offered. */
export interface SchemaProfile {
  /** The longest description of a tool, in characters. */
  readonly maxDescription: number;
  /** The keywords that it takes of those that are kept; all of them unless given. */
  readonly keywords?: ReadonlySet<string>;
  /** The formats of texts and numbers that it takes; all unless given. */
  readonly formats?: ReadonlySet<string>;
}
