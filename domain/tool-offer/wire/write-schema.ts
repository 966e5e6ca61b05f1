import { isObject } from '../../core/objects/is-object.ts';
import { addTo, type Flat, Flattener, listOf, merge, propertiesOf, requiredOf } from './flatten.ts';
import { isKept, toChoices, toType } from './keywords.ts';
import type { PropertyNames } from './property-names.ts';
import type { Schema, SchemaProfile } from './schema-profile.ts';
import { WorkBudget } from './work-budget.ts';

/** The levels of schemas within each other that are told; below, any value is taken. */
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

  // What is required without being described takes any value.
  #members(schema: Schema, type: ReturnType<typeof toType>, inner: (each: unknown) => Schema): Schema {
    const described = propertiesOf(schema);
    const required = requiredOf(schema);
    const all = { ...Object.fromEntries(required.map((name) => [name, {}])), ...described };
    // Of long names only a part is offered, but all of them is read.
    for (const name of [...Object.keys(all), ...required]) this.#budget.write(name.length);
    const properties = Object.entries(all).map(([name, each]) => [this.#names.toWire(name), inner(each)] as const);
    // Google refuses an object that is described as having none.
    const areTold = properties.length > 0 || (isOf(type, 'object') && this.#profile.keywords === undefined);
    return {
      properties: areTold ? Object.fromEntries(properties) : undefined,
      required: required.length > 0 ? required.map((name) => this.#names.toWire(name)) : undefined,
    };
  }
}

function impliedType(schema: Schema): string | undefined {
  if ('properties' in schema || 'required' in schema) return 'object';
  return 'items' in schema || 'prefixItems' in schema ? 'array' : undefined;
}

function isOf(type: string | readonly string[] | undefined, wanted: string): boolean {
  return type === wanted || (Array.isArray(type) && type.includes(wanted));
}

function flagOf(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

// A list with a schema for each place becomes one of any of them.
function itemsOf({ items, prefixItems }: Schema, inner: (each: unknown) => Schema): Schema {
  const kinds = [...listOf(prefixItems), ...(Array.isArray(items) ? items : isObject(items) ? [items] : [])];
  if (kinds.length < 2) return inner(kinds[0] ?? {});
  return { anyOf: kinds.map(inner) };
}

// What the alternatives require can no longer be told by the schema, so it is said.
function withHint(whole: Schema, branches: readonly Schema[], required: ReadonlySet<string>): Schema {
  const forms = branches.map((each) => requiredOf(each).filter((name) => !required.has(name)));
  if (forms.length < 2 || forms.some(({ length }) => length === 0)) return whole;
  const hint = `Needs one of these: ${forms.map((names) => names.join(' and ')).join('; ')}.`;
  const description = typeof whole['description'] === 'string' ? `${whole['description']} ${hint}` : hint;
  return hint.length > MAX_HINT ? whole : { ...whole, description };
}
