import { isDeepStrictEqual } from 'node:util';

/** A part of the document. */
export type Json = Record<string, unknown>;

/** The named parts of the document that others refer to. */
export class Components {
  readonly #parts = new Map<string, Json>();
  readonly #kind: string;

  /** `kind` is their key under `components`. */
  constructor(kind: 'schemas' | 'parameters' | 'responses' | 'headers') {
    this.#kind = kind;
  }

  /** Keeps a part under its name, and returns a reference to it; two parts of one name are a bug. */
  add(name: string, part: Json): Json {
    if (!this.tryAdd(name, part)) throw new Error(`two different ${this.#kind} of the API are called ${name}`);
    return this.refer(name);
  }

  /** Keeps a part under its name unless another one has the name. */
  tryAdd(name: string, part: Json): boolean {
    const present = this.#parts.get(name);
    if (present === undefined) this.#parts.set(name, part);
    return present === undefined || isDeepStrictEqual(present, part);
  }

  /** Returns a reference to the part with that name. */
  refer(name: string): Json {
    return { $ref: `#/components/${this.#kind}/${name}` };
  }

  /** Returns all parts, ordered by name. */
  toJson(): Json {
    const parts = [...this.#parts].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(parts);
  }
}
