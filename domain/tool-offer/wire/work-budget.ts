import type { Schema } from './schema-profile.ts';

/** The keywords, properties and list entries that are visited for one document, each as often as it is copied. */
const MAX_ENTRIES = 20_000;
/** The characters that are written for one document, apart from punctuation. */
const MAX_CHARACTERS = 64 * 1_024;
/** The characters that are compared in about the time in which an entry is visited. */
const CHARACTERS_PER_ENTRY = 32;

/** Says that a document would take more work, or space, than its schema may. */
export class SchemaTooLarge extends Error {}

/**
 * Bounds the work on one document. References make a small one stand for a schema of any size, and whoever writes it
 * may be anybody.
 */
export class WorkBudget {
  #entries = MAX_ENTRIES;
  #characters = MAX_CHARACTERS;

  /** Counts a schema that is copied, without those within it. Throws `SchemaTooLarge` beyond the bound, like all. */
  visit(schema: Schema): void {
    let entries = 1;
    for (const value of Object.values(schema)) entries += 1 + sizeOf(value);
    this.#visit(entries);
  }

  /** Counts a text that is compared with others. */
  compare(text: string): void {
    this.#visit(Math.ceil(text.length / CHARACTERS_PER_ENTRY));
  }

  /** Counts characters that are written. */
  write(characters: number): void {
    this.#characters -= characters;
    if (this.#characters < 0) throw new SchemaTooLarge();
  }

  #visit(entries: number): void {
    this.#entries -= entries;
    if (this.#entries < 0) throw new SchemaTooLarge();
  }
}

function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}
