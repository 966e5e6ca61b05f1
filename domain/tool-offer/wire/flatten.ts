import { isObject } from '../../core/objects.ts';

/** A schema without references and `allOf`, and the schemas that it was made of. */
export interface Flat {
  readonly schema: Schema;
  /** Those, and the ones around them: one that is met again within refers to itself. */
  readonly open: ReadonlySet<unknown>;
}

/** The number of parts that one schema is made of at most; the rest of it takes any value. */
const MAX_PARTS = 1_000;
const MAX_POINTER_STEPS = 32;

/** Puts schemas of one document together from the parts that they refer to. */
export class Flattener {
  readonly #root: Schema;
  readonly #budget: WorkBudget;
  #left = MAX_PARTS;

  constructor(root: Schema, budget: WorkBudget) {
    this.#root = root;
    this.#budget = budget;
  }

  /** Inlines all that a schema refers to. A recursive reference becomes its type only. */
  flatten(given: unknown, open: ReadonlySet<unknown>): Flat {
    if (!isObject(given) || this.#left <= 0) return { schema: {}, open };
    const parts: Schema[] = [];
    const openWithin = new Set(open);
    this.#collect(given, openWithin, parts);
    return { schema: merge(parts, this.#budget), open: openWithin };
  }

  #collect(given: unknown, open: Set<unknown>, parts: Schema[]): void {
    this.#left -= 1;
    if (!isObject(given) || this.#left < 0) return;
    if (open.has(given)) {
      if ('type' in given) parts.push({ type: given['type'] });
      return;
    }
    this.#budget.visit(given);
    open.add(given);
    const { $ref: reference, allOf, ...own } = given;
    parts.push(own);
    if (typeof reference === 'string') this.#collect(this.#find(reference), open, parts);
    for (const part of listOf(allOf)) this.#collect(part, open, parts);
  }

  #find(reference: string): unknown {
    if (!reference.startsWith('#')) return undefined;
    const steps = reference.slice(1).split('/', MAX_POINTER_STEPS).slice(1);
    return steps.map(stepName).reduce<unknown>((at, name) => (isListOrObject(at) ? at[name] : undefined), this.#root);
  }
}

/** Returns the entries of a keyword that is a list; none of another value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the properties that a schema describes. */
export function propertiesOf({ properties }: Schema): Schema {
  return isObject(properties) ? properties : {};
}

/** Returns the names of the properties that a schema requires. */
export function requiredOf({ required }: Schema): readonly string[] {
  return [...new Set(listOf(required).filter((name) => typeof name === 'string'))];
}

/** Merges schemas into one that covers them all; where they differ, the first wins. */
export function merge(schemas: readonly Schema[], budget: WorkBudget): Schema {
  const [only, ...others] = schemas;
  if (only !== undefined && others.length === 0) return only;
  const keywords = new Map<string, unknown>();
  const properties = new Map<string, unknown[]>();
  const required = new Set<string>();
  for (const schema of schemas) {
    budget.visit(schema);
    for (const [keyword, value] of Object.entries(schema)) if (!keywords.has(keyword)) keywords.set(keyword, value);
    for (const [name, each] of Object.entries(propertiesOf(schema))) addTo(properties, name, each);
    for (const name of requiredOf(schema)) required.add(name);
  }
  if (properties.size > 0) {
    keywords.set('properties', Object.fromEntries([...properties].map(([name, all]) => [name, allOfThem(all)])));
  }
  if (required.size > 0) keywords.set('required', [...required]);
  return Object.fromEntries(keywords);
}

/** Adds a value to those of a key. */
export function addTo<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function allOfThem(given: readonly unknown[]): unknown {
  const schemas = given.filter(isObject);
  return isObject(given[0]) && schemas.length > 1 ? { allOf: schemas } : given[0];
}

function isListOrObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Decodes a step of a JSON pointer within a fragment of a URI. */
export function stepName(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return step;
  }
}

/** The keywords, properties and list entries that are visited for one document, each as often as it is copied. */
const MAX_ENTRIES = 20_000;

/** The characters that are written for one document, apart from punctuation. */
const MAX_CHARACTERS = 64 * 1_024;

/** The characters that are compared in about the time in which an entry is visited. */
const CHARACTERS_PER_ENTRY = 32;

/** Says that a document would take more work, or space, than its schema may. */
export class SchemaTooLarge extends Error {}

/** Bounds the work on one document. References can expand a small one to any size, and its author may be anybody. */
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

/** A JSON Schema, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>;

/** The schema features that a wire format supports in tools. */
export interface SchemaProfile {
  /** The longest description of a tool, in characters. */
  readonly maxDescription: number;
  /** The keywords that it takes of those that are kept; all of them unless given. */
  readonly keywords?: ReadonlySet<string>;
  /** The formats of texts and numbers that it takes; all unless given. */
  readonly formats?: ReadonlySet<string>;
}
