import { z } from 'zod';

// Names are snake_case in requests and responses, and camelCase everywhere else. The conversion happens here only.
declare const VERBATIM: unique symbol;

interface Verbatim {
  readonly [VERBATIM]: true;
}

const verbatim = z.registry<{ readonly isVerbatim: true }>();

/**
 * Marks a schema whose data is kept and shown as it was sent, its inner names included. Data that is open to any name,
 * such as a `z.record`, needs no mark.
 */
export function keptVerbatim<S extends z.ZodType>(schema: S): S & Verbatim {
  verbatim.add(schema, { isVerbatim: true });
  return schema as S & Verbatim;
}

type Camel<Name> = Name extends `${infer Head}_${infer Tail}`
  ? Tail extends ''
    ? Head
    : `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

type IsOpen<Data> = string extends keyof Data ? true : false;

/** The data of a request as the layers below the api see it: the same fields under camelCase names. */
export type FieldsOf<S> = S extends Verbatim
  ? z.output<S>
  : S extends z.ZodOptional<infer Inner> | z.ZodDefault<infer Inner>
    ? FieldsOf<Inner>
    : S extends z.ZodNullable<infer Inner>
      ? FieldsOf<Inner> | null
      : S extends z.ZodArray<infer Item>
        ? FieldsOf<Item>[]
        : S extends z.ZodObject<infer Shape>
          ? IsOpen<z.output<S>> extends true
            ? z.output<S>
            : Renamed<z.output<S>, Shape>
          : z.output<S>;
type Renamed<Output, Shape> = {
  [Name in keyof Output as Camel<Name>]: Name extends keyof Shape ? FieldsOf<Shape[Name]> : never;
};

/** The data that a response is made from: camelCase names, and dates for timestamps. It may have more fields. */
export type RecordOf<S> = S extends Verbatim
  ? z.input<S>
  : S extends z.ZodISODateTime
    ? Date
    : S extends z.ZodOptional<infer Inner>
      ? RecordOf<Inner> | undefined
      : S extends z.ZodNullable<infer Inner>
        ? RecordOf<Inner> | null
        : S extends z.ZodArray<infer Item>
          ? readonly RecordOf<Item>[]
          : S extends z.ZodObject<infer Shape>
            ? IsOpen<z.input<S>> extends true
              ? z.input<S>
              : { readonly [Name in keyof Shape as Camel<Name>]: RecordOf<Shape[Name]> }
            : z.input<S>;

/** Returns the fields that the data of a request sets, under camelCase names; those that are undefined are left out. */
export function toFields<S extends z.ZodObject>(schema: S, data: z.output<S>): FieldsOf<S> {
  return converter(schema).toFields(data) as FieldsOf<S>;
}

/**
 * Returns the answer that shows a record: the fields of its schema, under snake_case names. What the record itself does
 * not say, `more` does.
 */
export function present<S extends z.ZodObject>(schema: S, record: RecordOf<S>): z.input<S>;

export function present<S extends z.ZodObject, More extends Partial<RecordOf<S>>>(
  schema: S,
  record: Omit<RecordOf<S>, keyof More>,
  more: More,
): z.input<S>;

export function present<S extends z.ZodObject>(schema: S, record: object, more?: object): z.input<S> {
  return converter(schema).present(record, more) as z.input<S>;
}

/** Returns the function that shows each record of a list. */
export function presenter<S extends z.ZodObject>(schema: S): (record: RecordOf<S>) => z.input<S> {
  return (record) => present(schema, record);
}

interface Converter {
  toFields(data: unknown): unknown;
  present(value: unknown, more?: object): unknown;
}

const AS_IT_IS: Converter = {
  toFields: (data) => data,
  present: (value) => (value instanceof Date ? value.toISOString() : value),
};
const converters = new WeakMap<z.core.$ZodType, Converter>();

function converter(schema: z.core.$ZodType): Converter {
  let known = converters.get(schema);
  if (known === undefined) {
    known = makeConverter(schema);
    converters.set(schema, known);
  }
  return known;
}

function makeConverter(schema: z.core.$ZodType): Converter {
  if (verbatim.get(schema) !== undefined) return AS_IT_IS;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return forPresent(converter(schema.unwrap()));
  if (schema instanceof z.ZodArray) return forItems(converter(schema.element));
  if (schema instanceof z.ZodObject && !(schema.def.catchall instanceof z.ZodUnknown)) return forObject(schema);
  return AS_IT_IS;
}

function forPresent({ toFields: inward, present: outward }: Converter): Converter {
  const unlessAbsent = (convert: Converter['present']) => (value: unknown) => (value == null ? value : convert(value));
  return { toFields: unlessAbsent(inward), present: unlessAbsent(outward) };
}

function forItems(item: Converter): Converter {
  const forEach = (convert: Converter['present']) => (items: unknown) =>
    Array.isArray(items) ? items.map((each: unknown) => convert(each)) : items;
  return { toFields: forEach(item.toFields), present: forEach(item.present) };
}

function forObject({ shape }: z.ZodObject): Converter {
  const blank = blankOf(shape);
  const names = Object.entries(shape).map(([outer, schema]) => ({
    outer,
    inner: toCamel(outer),
    ...converter(schema),
  }));
  // Loops, and no array or pair for each field: a board of 2,000 tasks has 20,000 fields, and is shown in a third of
  // the time.
  return {
    toFields: (data) => {
      const fields: Record<string, unknown> = {};
      for (const { outer, inner, toFields: convert } of names) {
        const value = valueOf(data, outer);
        if (value !== undefined) fields[inner] = convert(value);
      }
      return fields;
    },
    present: (record, more) => {
      const shown: Record<string, unknown> = { ...blank };
      for (const { outer, inner, present: convert } of names) {
        const value = valueOf(more !== undefined && inner in more ? more : record, inner);
        if (value !== undefined) shown[outer] = convert(value);
        else if (outer in shown) Reflect.deleteProperty(shown, outer);
      }
      return shown;
    },
  };
}

// A copy of a parsed object keeps its layout; one that gets more than a dozen fields by name becomes a hash table,
// which takes twice as long to fill and to write as JSON. What may be left out is added where it is there.
function blankOf(shape: z.core.$ZodShape): object {
  const always = Object.entries(shape).filter(([, schema]) => !(schema instanceof z.ZodOptional));
  return JSON.parse(JSON.stringify(Object.fromEntries(always.map(([outer]) => [outer, null])))) as object;
}

function valueOf(object: unknown, name: string): unknown {
  return typeof object === 'object' && object !== null ? Reflect.get(object, name) : undefined;
}

/** Returns the name that a field has in requests and responses. */
export function outerName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function toCamel(name: string): string {
  return name.replace(/_$/, '').replaceAll(/_(.)/g, (_, first: string) => first.toUpperCase());
}
