import type { SchemaProfile } from './schema-profile.ts';

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
export function isKept(keyword: string, value: unknown, { formats }: SchemaProfile): boolean {
  if (keyword === 'format' && formats !== undefined) return formats.has(String(value));
  return VALUES.get(keyword)?.(value) === true;
}

/** Returns the `type` of a schema, or that of its values; undefined for any. */
export function toType(given: unknown, isNullable: boolean): string | readonly string[] | undefined {
  const words: unknown[] = Array.isArray(given) ? given : [given];
  const types = new Set(words.flatMap((word) => TYPES.get(String(word).toLowerCase()) ?? []));
  if (types.size === 0) return undefined;
  if (isNullable) types.add('null');
  const [only, ...others] = types;
  return others.length === 0 ? only : [...types];
}

/** Returns the choices that fit the type; undefined when there are none. */
export function toChoices(
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
