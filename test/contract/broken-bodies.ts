import type { z } from 'zod';
import { casesOf } from '../support/in-length.ts';
import { type FieldSchema, fieldsOf, isNullable, notNull } from './sample-body.ts';

/** A body with one fault. */
export interface BrokenBody {
  readonly fault: string;
  /** JSON text: some faults cannot be written as a value. */
  readonly text: string;
  /** The field that the answer must name. */
  readonly field: string;
}

/** JSON text of a value that breaks a field. */
interface BadValue {
  readonly fault: string;
  readonly text: string;
}

const DEPTH = 100_000;
const NESTED_OBJECT = `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`;
const NESTED_ARRAY = `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`;

/**
 * Fields that exist in records or in the language, but that no caller may set. Those of the route's record are ignored.
 */
const FOREIGN_FIELDS = [
  'id',
  'org_id',
  'user_id',
  'created_at',
  'updated_at',
  'deleted_at',
  'is_builtin',
  'is_managed',
  'role',
  'key',
  'credentials_encrypted',
  'constructor',
  'toString',
];

/** Bodies that differ from a good one in one field. */
export function brokenFields(
  schema: z.ZodType,
  good: Readonly<Record<string, unknown>>,
  ignored: ReadonlySet<string> | undefined,
): BrokenBody[] {
  const fields = fieldsOf(schema);
  const broken = fields.flatMap(({ name, field, isRequired }) => [
    ...badValues(field).map(({ fault, text }) => ({ fault, field: name, text: withField(good, name, text) })),
    ...(isRequired ? [{ fault: 'is missing', field: name, text: withField(good, name, undefined) }] : []),
  ]);
  const foreign = FOREIGN_FIELDS.filter(
    (name) => ignored?.has(name) !== true && !fields.some((field) => field.name === name),
  );
  return [
    ...broken,
    ...foreign.map((name) => ({ fault: 'does not exist', field: name, text: withField(good, name, '"x"') })),
  ];
}

/** Texts that are no body of any route. */
export const BROKEN_WHOLES: readonly BadValue[] = [
  { fault: 'an array', text: '[]' },
  { fault: 'null', text: 'null' },
  { fault: 'a number', text: '7' },
  { fault: 'a text', text: '"text"' },
  { fault: 'cut off', text: '{"name":"a' },
  { fault: 'not JSON', text: "{'name': 1}" },
  { fault: 'two values', text: '{} {}' },
  { fault: 'a nested array', text: NESTED_ARRAY },
  { fault: 'a nested object', text: NESTED_OBJECT },
  { fault: 'an object that sets its prototype', text: '{"__proto__":{"role":"owner"}}' },
  {
    fault: 'an object that sets its prototype in other letters',
    text: String.raw`{"\u005f_proto__":{"role":"owner"}}`,
  },
];

function withField(good: Readonly<Record<string, unknown>>, name: string, text: string | undefined): string {
  const others = Object.entries(good).filter(([key]) => key !== name);
  const parts = others.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  if (text !== undefined) parts.push(`${JSON.stringify(name)}:${text}`);
  return `{${parts.join(',')}}`;
}

function badValues(field: FieldSchema): BadValue[] {
  const schema = notNull(field);
  const own = isNullable(field) ? [] : [{ fault: 'is null', text: 'null' }];
  switch (schema.type) {
    case 'string':
      return [...own, ...badTexts(schema)];
    case 'number':
    case 'integer':
      return [...own, ...badNumbers(schema)];
    case 'boolean':
      return [...own, ...ofOtherType('"true"', '1', '[]', '{}')];
    case 'array':
      return [...own, ...badArrays(schema)];
    case undefined:
    default:
      return [...own, ...badObjects()];
  }
}

function badTexts({ enum: values, format, minLength = 0, maxLength }: FieldSchema): BadValue[] {
  // Any text is a password.
  const isFree = values === undefined && (format === undefined || format === 'password');
  if (isFree && maxLength === undefined) throw new Error('a text that a caller sends must have a greatest length');
  return [
    ...ofOtherType('7', '{"$ne":1}', '["x"]', 'true', '[]', '{}'),
    { fault: 'holds NUL', text: String.raw`"a\u0000b"` },
    { fault: 'holds half a surrogate pair', text: String.raw`"a\ud800b"` },
    ...(maxLength === undefined ? [] : [{ fault: 'is too long', text: JSON.stringify('x'.repeat(maxLength + 1)) }]),
    ...(minLength === 0 ? [] : [{ fault: 'is too short', text: JSON.stringify('x'.repeat(minLength - 1)) }]),
    // Texts whose values are looked at after their form have a greatest length too, and a status of their own.
    ...(isFree || (values !== undefined && maxLength !== undefined)
      ? []
      : [{ fault: 'is not one of the values', text: '"x"' }]),
  ];
}

function badNumbers({ type, minimum, maximum }: FieldSchema): BadValue[] {
  if (minimum === undefined || maximum === undefined) throw new Error('a number that a caller sends must have bounds');
  return [
    ...ofOtherType('"1"', 'true', '[]', '{}'),
    { fault: 'is too small', text: String(minimum - 1) },
    { fault: 'is too large', text: String(maximum + 1) },
    { fault: 'is beyond all numbers', text: '1e400' },
    ...(type === 'integer' ? [{ fault: 'is no whole number', text: String(minimum + 0.5) }] : []),
  ];
}

function badArrays({ items, maxItems }: FieldSchema): BadValue[] {
  if (items === undefined || maxItems === undefined) throw new Error('an array that a caller sends must be bounded');
  const long = Array.from({ length: maxItems + 1 }, () => 'null').join(',');
  return [
    ...ofOtherType('"x"', '{"0":"x"}', '7', '{}'),
    { fault: 'has too many items', text: `[${long}]` },
    ...badValues(items).map(({ fault, text }) => ({ fault: `has an item that ${fault}`, text: `[${text}]` })),
  ];
}

function badObjects(): BadValue[] {
  return [
    ...ofOtherType('"x"', '[]', '7', 'true'),
    { fault: 'holds NUL in a value', text: String.raw`{"a":{"b":["\u0000"]}}` },
    { fault: 'holds NUL in a key', text: String.raw`{"a\u0000":1}` },
    { fault: 'holds half a surrogate pair', text: String.raw`{"a":"\udfff"}` },
    { fault: 'is too large', text: JSON.stringify({ a: 'x'.repeat(70_000) }) },
  ];
}

/** Values of other types; in every run the first two, which a lenient reader would take most easily. */
function ofOtherType(...texts: string[]): BadValue[] {
  return casesOf(texts, 2).map((text) => ({ fault: `is ${text}`, text }));
}
