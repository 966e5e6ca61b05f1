import { isObject } from '../../domain/core/objects/is-object.ts';

/** Parts of a schema, all references followed. */
const MAX_EXPANDED = 5_000;
const MAX_DEPTH = 30;

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const ONE = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const BY_NAME = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties']);
const REMOTE = ['$id', '$anchor', '$dynamicRef', '$recursiveRef', '$dynamicAnchor', '$vocabulary'];

type Schema = Readonly<Record<string, unknown>>;

/** Goes through all parts of a JSON Schema. */
export class SchemaWalk {
  /** The patterns that were found. */
  readonly patterns: string[] = [];
  readonly #root: Schema;
  readonly #sizes = new Map<Schema, number>();
  readonly #open = new Set<Schema>();
  #issue: string | undefined;

  constructor(root: Schema) {
    this.#root = root;
  }

  /** Returns why the schema is refused, or `undefined`. */
  issue(): string | undefined {
    const size = this.#sizeOf(this.#root, 0);
    if (this.#issue === undefined && size > MAX_EXPANDED) this.#issue = TOO_LARGE;
    return this.#issue;
  }

  /** Returns the number of parts with all references followed. A part that is referred to often is counted once. */
  #sizeOf(part: unknown, depth: number): number {
    if (this.#issue !== undefined || !isObject(part)) return 1;
    const known = this.#sizes.get(part);
    if (known !== undefined) return known;
    if (this.#open.has(part)) return this.#refuse('must not refer to itself');
    if (depth > MAX_DEPTH) return this.#refuse(`must not nest more than ${MAX_DEPTH} levels deep`);
    this.#open.add(part);
    let size = 1;
    for (const inner of this.#partsOf(part)) {
      size += this.#sizeOf(inner, depth + 1);
      if (size > MAX_EXPANDED) return this.#refuse(TOO_LARGE);
    }
    this.#open.delete(part);
    this.#sizes.set(part, size);
    return size;
  }

  #partsOf(schema: Schema): unknown[] {
    const keyword = REMOTE.find((name) => Object.hasOwn(schema, name));
    if (keyword !== undefined) this.#refuse(`must not use ${keyword}`);
    if (typeof schema['pattern'] === 'string') this.patterns.push(schema['pattern']);
    if (isObject(schema['patternProperties'])) this.patterns.push(...Object.keys(schema['patternProperties']));
    return Object.entries(schema).flatMap(([name, value]) => this.#partsIn(name, value));
  }

  #partsIn(name: string, value: unknown): unknown[] {
    if (name === '$ref') return [this.#target(value)];
    if (ONE.has(name)) return [value];
    if (name === 'items') return Array.isArray(value) ? value : [value];
    if (LISTS.has(name) && Array.isArray(value)) return value;
    if (BY_NAME.has(name) && isObject(value)) return Object.values(value);
    if (name === 'dependencies' && isObject(value)) return Object.values(value).filter(isObject);
    return [];
  }

  #target(reference: unknown): unknown {
    if (typeof reference !== 'string' || !(reference === '#' || reference.startsWith('#/'))) {
      this.#refuse('must refer to parts of itself only ("#/$defs/name")');
      return undefined;
    }
    let part: unknown = this.#root;
    for (const step of reference.split('/').slice(1).map(toName)) {
      part = isContainer(part) && Object.hasOwn(part, step) ? Reflect.get(part, step) : undefined;
    }
    if (!isObject(part)) this.#refuse(`refers to "${reference}", which is no part of it`);
    return part;
  }

  #refuse(issue: string): number {
    this.#issue ??= issue;
    return 1;
  }
}

const TOO_LARGE = `must not have more than ${MAX_EXPANDED} parts when all references are followed`;

// A JSON pointer within a fragment of a URI.
function toName(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return step;
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
