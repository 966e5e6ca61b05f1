import { isObject } from '../../core/objects/is-object.ts';
import type { Schema } from './schema-profile.ts';

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
  #left = MAX_PARTS;

  constructor(root: Schema) {
    this.#root = root;
  }

  /** Returns a schema with all that it refers to. Of one that refers to itself only the type is told again. */
  flatten(given: unknown, open: ReadonlySet<unknown>): Flat {
    this.#left -= 1;
    if (!isObject(given) || this.#left < 0) return { schema: {}, open };
    if (open.has(given)) return { schema: 'type' in given ? { type: given['type'] } : {}, open };
    const { $ref: reference, allOf, ...own } = given;
    const parts: unknown[] = [...(typeof reference === 'string' ? [this.#find(reference)] : []), ...listOf(allOf)];
    let flat: Flat = { schema: own, open: new Set([...open, given]) };
    for (const part of parts) {
      const added = this.flatten(part, flat.open);
      flat = { schema: merge(flat.schema, added.schema), open: added.open };
    }
    return flat;
  }

  #find(reference: string): unknown {
    if (!reference.startsWith('#')) return undefined;
    const steps = reference.slice(1).split('/').slice(1, MAX_POINTER_STEPS);
    return steps.map(toName).reduce<unknown>((at, name) => (isListOrObject(at) ? at[name] : undefined), this.#root);
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

/** Returns a schema that tells of both; where they differ, of the first. */
export function merge(first: Schema, second: Schema): Schema {
  const merged = { ...second, ...first };
  const required = [...new Set([...requiredOf(first), ...requiredOf(second)])];
  const properties = new Map(Object.entries(propertiesOf(second)));
  for (const [name, own] of Object.entries(propertiesOf(first))) {
    const other = properties.get(name);
    properties.set(name, isObject(own) && isObject(other) ? { allOf: [own, other] } : own);
  }
  return {
    ...merged,
    ...(properties.size > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required }),
  };
}

function isListOrObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

// A step of a JSON pointer within a fragment of a URI.
function toName(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return step;
  }
}
