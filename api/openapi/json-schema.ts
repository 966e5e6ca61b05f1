import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

/** Formats that make a sibling regular expression redundant. */
const FORMATS_WITHOUT_PATTERN = new Set(['uuid', 'email', 'date-time']);

/** Returns the JSON Schema of a request (`input`) or a response (`output`). Schemas with an id become components. */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Components): Json {
  const {
    $schema: _,
    $defs = {},
    ...root
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => adapt(zodSchema, jsonSchema, io),
  }) as Json & { $defs?: Record<string, Json> };
  for (const [name, definition] of Object.entries($defs)) {
    const { id: _id, ...rest } = relocate(definition) as Json;
    schemas.add(name, rest);
  }
  return relocate(root) as Json;
}

function adapt(schema: z.core.$ZodTypes, json: Json, io: 'input' | 'output'): void {
  const { def } = schema._zod;
  dropNoise(json);
  // Responses may gain fields: a client must accept those that it does not know.
  if (io === 'output' && json['additionalProperties'] === false) delete json['additionalProperties'];
  // Clients of OpenAPI Generator would compare it with a text.
  if (typeof json['const'] === 'boolean') delete json['const'];
  if (schema instanceof z.ZodDiscriminatedUnion) json['discriminator'] = discriminatorOf(schema);
  // zod leaves them out where a value is transformed: a caller's number is a text to the router.
  const { examples, default: declared } = z.globalRegistry.get(schema) ?? {};
  if (examples !== undefined) json['examples'] = examples;
  if (declared !== undefined) json['default'] = declared;
  if (io === 'input' && def.type === 'default') json['default'] = def.defaultValue;
}

// Without the mapping the values would be taken for the names of the schemas.
function discriminatorOf({ def }: z.ZodDiscriminatedUnion): Json {
  const mapping = def.options.flatMap((option) => {
    const id = z.globalRegistry.get(option)?.id;
    const values = option._zod.propValues?.[def.discriminator] ?? [];
    return id === undefined
      ? []
      : [...values].filter((value) => value !== undefined).map((value) => [String(value), `#/$defs/${id}`]);
  });
  return { propertyName: def.discriminator, mapping: Object.fromEntries(mapping) };
}

// Removes parts that say nothing, or repeat their siblings.
function dropNoise(json: Json): void {
  if (json['type'] === 'integer' || FORMATS_WITHOUT_PATTERN.has(String(json['format']))) delete json['pattern'];
  if (json['enum'] !== undefined) delete json['maxLength'];
  if (json['minimum'] === Number.MIN_SAFE_INTEGER) delete json['minimum'];
  if (json['maximum'] === Number.MAX_SAFE_INTEGER) delete json['maximum'];
  if (isDeepStrictEqual(json['propertyNames'], { type: 'string' })) delete json['propertyNames'];
}

// zod puts the schemas that have an id under `$defs`, and plain types into one list, once all parts are written.
function relocate(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/^#\/\$defs\//, '#/components/schemas/');
  if (Array.isArray(value)) return value.map(relocate);
  if (value === null || typeof value !== 'object') return value;
  const relocated = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, relocate(item)]));
  return separateTypes(relocated);
}

// Many generators know lists of types with null only.
function separateTypes({ type, ...json }: Json): Json {
  const isList = Array.isArray(type) && type.filter((each) => each !== 'null').length > 1;
  if (isList) return { ...json, anyOf: type.map((each: unknown) => ({ type: each })) };
  return type === undefined ? json : { type, ...json };
}

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

  /** Returns a reference to the part with that name, which is made unless there is one. */
  addOnce(name: string, make: () => Json): Json {
    if (!this.#parts.has(name)) this.#parts.set(name, make());
    return this.refer(name);
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
