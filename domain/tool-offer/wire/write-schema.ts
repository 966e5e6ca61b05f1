import { isObject } from '../../core/objects.ts';
import {
  addTo,
  type Flat,
  Flattener,
  listOf,
  merge,
  propertiesOf,
  requiredOf,
  type Schema,
  type SchemaProfile,
  WorkBudget,
} from './flatten.ts';

/** How many levels of nested schemas are written; below, any value is accepted. */
const MAX_DEPTH = 20;
const MAX_HINT = 300;

/**
 * Returns the schema of a tool's arguments as a wire format takes it: an object with properties, without references and
 * without what some provider refuses. It may take more than the schema does, by which the arguments are checked.
 * Throws `SchemaTooLarge` when it would take too much work.
 */
export function writeSchema(schema: Schema, profile: SchemaProfile, names: PropertyNames): Schema {
  return new SchemaWriter(schema, profile, names).writeRoot(schema);
}

/** Writes the schemas of one document. */
class SchemaWriter {
  readonly #budget = new WorkBudget();
  readonly #flattener: Flattener;
  readonly #profile: SchemaProfile;
  readonly #names: PropertyNames;

  constructor(root: Schema, profile: SchemaProfile, names: PropertyNames) {
    this.#flattener = new Flattener(root, this.#budget);
    this.#profile = profile;
    this.#names = names;
  }

  writeRoot(root: Schema): Schema {
    const { schema, open } = this.#fold(this.#flattener.flatten(root, new Set()), 0);
    const { enum: _choices, const: _choice, nullable: _nullable, ...rest } = schema;
    const written = this.#write({ schema: { ...rest, type: 'object' }, open }, 0);
    return { ...written, properties: written['properties'] ?? {} };
  }

  // No provider takes alternatives at the root: their properties become those of the whole.
  #fold({ schema, open }: Flat, depth: number): Flat {
    const { anyOf, oneOf, then, else: otherwise, ...own } = schema;
    const foldEach = (branches: readonly unknown[]) =>
      branches.map((branch) => this.#fold(this.#flattener.flatten(branch, open), depth + 1).schema);
    let whole: Schema = own;
    if (depth > MAX_DEPTH) return { schema: whole, open };
    for (const branches of [listOf(anyOf), listOf(oneOf)].map(foldEach)) {
      const [first = [], ...others] = branches.map((each) => new Set(requiredOf(each)));
      const required = [...first].filter((name) => others.every((each) => each.has(name)));
      const alternatives = { properties: this.#propertiesOfAll(branches), required };
      whole = merge([withHint(whole, branches, new Set(required)), alternatives], this.#budget);
    }
    const conditional = { properties: this.#propertiesOfAll(foldEach([then, otherwise].filter(isObject))) };
    return { schema: merge([whole, conditional], this.#budget), open };
  }

  #propertiesOfAll(branches: readonly Schema[]): Schema {
    const all = new Map<string, unknown[]>();
    for (const branch of branches) {
      this.#budget.visit(branch);
      for (const name of requiredOf(branch)) if (!all.has(name)) all.set(name, []);
      for (const [name, each] of Object.entries(propertiesOf(branch))) addTo(all, name, each);
    }
    return Object.fromEntries([...all].map(([name, schemas]) => [name, this.#eitherOf([...new Set(schemas)])]));
  }

  #eitherOf(schemas: readonly unknown[]): unknown {
    if (schemas.length < 2) return schemas[0] ?? {};
    const distinct = new Map<string, unknown>();
    for (const each of schemas) {
      const text = JSON.stringify(each);
      this.#budget.compare(text);
      distinct.set(text, each);
    }
    return distinct.size < 2 ? schemas[0] : { anyOf: [...distinct.values()] };
  }

  #write({ schema, open }: Flat, depth: number): Schema {
    const { keywords } = this.#profile;
    const inner = (each: unknown) =>
      depth >= MAX_DEPTH ? {} : this.#write(this.#flattener.flatten(each, open), depth + 1);
    const innerList = (list: readonly unknown[]) => (list.length === 0 ? undefined : list.map(inner));
    const type = toType(schema['type'] ?? impliedType(schema), schema['nullable'] === true);
    const { anyOf, oneOf, additionalProperties } = schema;
    // A format that has few keywords has this one for both.
    const isOneWord = keywords?.has('oneOf') === false;
    const own = {
      type,
      ...Object.fromEntries(Object.entries(schema).filter(([name, value]) => isKept(name, value, this.#profile))),
      enum: toChoices('const' in schema ? [schema['const']] : listOf(schema['enum']), type, this.#profile),
    };
    this.#budget.write(JSON.stringify(own).length);
    const written = {
      ...own,
      ...this.#members(schema, type, inner),
      additionalProperties: isObject(additionalProperties) ? inner(additionalProperties) : flagOf(additionalProperties),
      items: isOf(type, 'array') ? itemsOf(schema, inner) : undefined,
      anyOf: innerList([...listOf(anyOf), ...(isOneWord ? listOf(oneOf) : [])]),
      oneOf: isOneWord ? undefined : innerList(listOf(oneOf)),
    };
    const isTaken = ([name, value]: [string, unknown]) =>
      value !== undefined && (keywords === undefined || keywords.has(name));
    return Object.fromEntries(Object.entries(written).filter(isTaken));
  }

  // A required member without a description accepts any value.
  #members(schema: Schema, type: ReturnType<typeof toType>, inner: (each: unknown) => Schema): Schema {
    const described = propertiesOf(schema);
    const required = requiredOf(schema);
    const all = { ...Object.fromEntries(required.map((name) => [name, {}])), ...described };
    // Of long names only a part is offered, but all of them is read.
    for (const name of [...Object.keys(all), ...required]) this.#budget.write(name.length);
    const properties = Object.entries(all).map(([name, each]) => [this.#names.toWire(name), inner(each)] as const);
    // Google refuses an object that is described as having none.
    const areDescribed = properties.length > 0 || (isOf(type, 'object') && this.#profile.keywords === undefined);
    return {
      properties: areDescribed ? Object.fromEntries(properties) : undefined,
      required: required.length > 0 ? required.map((name) => this.#names.toWire(name)) : undefined,
    };
  }
}

function impliedType(schema: Schema): string | undefined {
  if ('properties' in schema || requiredOf(schema).length > 0) return 'object';
  return 'items' in schema || 'prefixItems' in schema ? 'array' : undefined;
}

function isOf(type: string | readonly string[] | undefined, wanted: string): boolean {
  return type === wanted || (Array.isArray(type) && type.includes(wanted));
}

function flagOf(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

// A list with a schema for each position becomes one of any of them.
function itemsOf({ items, prefixItems }: Schema, inner: (each: unknown) => Schema): Schema {
  const kinds = [...listOf(prefixItems), ...(Array.isArray(items) ? items : isObject(items) ? [items] : [])];
  if (kinds.length < 2) return inner(kinds[0] ?? {});
  return { anyOf: kinds.map(inner) };
}

// The schema can no longer express what the alternatives require, so the description says it.
function withHint(whole: Schema, branches: readonly Schema[], required: ReadonlySet<string>): Schema {
  const forms = branches.map((each) => requiredOf(each).filter((name) => !required.has(name)));
  if (forms.length < 2 || forms.some(({ length }) => length === 0)) return whole;
  const hint = `Needs one of these: ${forms.map((names) => names.join(' and ')).join('; ')}.`;
  const description = typeof whole['description'] === 'string' ? `${whole['description']} ${hint}` : hint;
  return hint.length > MAX_HINT ? whole : { ...whole, description };
}

/** Types by the words that are used for them. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ...['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'].map((type) => [type, type] as const),
  ...Object.entries({ str: 'string', int: 'integer', long: 'integer', float: 'number', double: 'number' }),
  ...Object.entries({ bool: 'boolean', dict: 'object', map: 'object', list: 'array', tuple: 'array' }),
]);

/** Says for each keyword without schemas in it what it may be; a value that it may not be is left out. */
const VALUES: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ...['title', 'description', 'format'].map((keyword) => [keyword, isText] as const),
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((keyword) => [keyword, isNumber] as const),
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map(
    (keyword) => [keyword, isCount] as const,
  ),
  ['multipleOf', (value) => isNumber(value) && Number(value) > 0],
  ['uniqueItems', (value) => typeof value === 'boolean'],
  ['pattern', isPlainPattern],
  ['examples', (value) => Array.isArray(value)],
  ['default', () => true],
]);

/** Returns whether a keyword without schemas in it is kept with its value. */
function isKept(keyword: string, value: unknown, { formats }: SchemaProfile): boolean {
  if (keyword === 'format' && formats !== undefined) return formats.has(String(value));
  return VALUES.get(keyword)?.(value) === true;
}

/** Returns the `type` of a schema, or that of its values; undefined for any. */
function toType(given: unknown, isNullable: boolean): string | readonly string[] | undefined {
  const words: unknown[] = Array.isArray(given) ? given : [given];
  const types = new Set(words.flatMap((word) => TYPES.get(String(word).toLowerCase()) ?? []));
  if (types.size === 0) return undefined;
  if (isNullable) types.add('null');
  const [only, ...others] = types;
  return others.length === 0 ? only : [...types];
}

/** Returns the choices that fit the type; undefined when there are none. */
function toChoices(
  given: readonly unknown[],
  type: string | readonly string[] | undefined,
  { keywords }: SchemaProfile,
): readonly unknown[] | undefined {
  const types = type === undefined ? undefined : new Set([type].flat());
  const fitting = given.filter(
    (value) =>
      (types === undefined || typesOf(value).some((each) => types.has(each))) &&
      // Where keywords are few, choices are texts and numbers.
      (keywords === undefined || (value !== '' && (isText(value) || isNumber(value)))),
  );
  return fitting.length === 0 ? undefined : [...new Set(fitting)];
}

function typesOf(value: unknown): readonly string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  return Number.isInteger(value) ? ['integer', 'number'] : [typeof value];
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

// Servers that make grammars of schemas take whole patterns without groups of other kinds.
function isPlainPattern(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\^.*\$$/s.test(value) || value.includes('(?')) return false;
  try {
    return new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** The names that Anthropic and Google accept; gateways pass the tools of other formats on to them. */
const PERMITTED = /^[A-Za-z_][\w.-]{0,63}$/;
const MAX_READABLE = 48;

/** The names of the properties of one schema, as they are offered. */
export class PropertyNames {
  readonly #originals = new Map<string, string>();

  /** Returns a name as providers take it. */
  toWire(name: string): string {
    if (PERMITTED.test(name)) return name;
    const readable = name
      .normalize('NFKD')
      .replaceAll(/[^\w.-]+/g, '_')
      .slice(0, MAX_READABLE);
    let wire = `p_${readable}_${digestOf(name)}`;
    while ((this.#originals.get(wire) ?? name) !== name) wire += '_';
    this.#originals.set(wire, name);
    return wire;
  }

  /**
   * Returns the JSON text of arguments with the names of the schema instead of those that were offered. The rest of the
   * text stays as the model wrote it.
   */
  restoreIn(argumentsText: string): string {
    if (this.#originals.size === 0) return argumentsText;
    // A quote within a text has a backslash before it, so these can only be keys.
    return argumentsText.replaceAll(/(?<!\\)"(p_[\w.-]+)"(?=\s*:)/g, (key, wire: string) => {
      const original = this.#originals.get(wire);
      return original === undefined ? key : JSON.stringify(original);
    });
  }
}

// FNV-1a: two names that read the same are to differ, nothing more.
function digestOf(text: string): string {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  return (hash >>> 0).toString(36);
}
