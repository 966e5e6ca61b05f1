/** The text of a number that JavaScript would write otherwise: `JSON.stringify` writes it as it came. */
interface SourceNumber {
  readonly rawJSON: string;
}

/** What the language's types lack of `JSON`. */
interface SourceTextJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): SourceNumber;
  isRawJSON?(value: unknown): value is SourceNumber;
}

const sourceJson = JSON as unknown as SourceTextJson;

/**
 * Matches numbers that JavaScript may write differently: long ones, those with an exponent, small fractions, and those
 * that end in the zeros of a fraction. A match inside a string only costs the time of a full check.
 */
const MAY_CHANGE = /(?:^|[:,[])\s*(?:-0(?![\d.])|-?(?:[\d.]{16}|\d+(?:\.\d+)?[eE]|0\.0{6}|\d+\.\d*0(?!\d)))/;

/**
 * Parses JSON without changing its numbers. 1234567890123456789, 1.10 and 1e3 come as `isSourceNumber` values, which
 * `JSON.stringify` writes as they were.
 */
export function parseExactJson(text: string): unknown {
  if (!MAY_CHANGE.test(text)) return JSON.parse(text) as unknown;
  return sourceJson.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && source !== String(value) ? sourceJson.rawJSON(source) : value,
  );
}

/** Returns a number as this text, which must be one of JSON, has it. */
export function sourceNumber(text: string): SourceNumber {
  return sourceJson.rawJSON(text);
}

/** Returns whether a value is a number that `parseExactJson` has kept as it was written. */
export function isSourceNumber(value: unknown): value is SourceNumber {
  return sourceJson.isRawJSON?.(value) === true;
}

/** Returns a value of `parseExactJson` with plain numbers, for code that calculates with them. */
export function withPlainNumbers<T>(value: T): T {
  return hasSourceNumber(value) ? (JSON.parse(JSON.stringify(value)) as T) : value;
}

/**
 * Returns a value of `parseExactJson` with plain numbers, in which one that would be another as a plain number is a
 * text of its digits.
 */
export function withDigitTexts(value: unknown): unknown {
  if (isSourceNumber(value)) return inexactNumberIn(value) ?? Number(value.rawJSON);
  if (Array.isArray(value)) return value.map(withDigitTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withDigitTexts(each)]));
}

/** Returns the first number in a value of `parseExactJson` that would be another one as a plain number. */
export function inexactNumberIn(value: unknown): string | undefined {
  if (isSourceNumber(value)) return isInexact(value.rawJSON) ? value.rawJSON : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const each of Object.values(value)) {
    const found = inexactNumberIn(each);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns whether a value of `parseExactJson` contains a number whose source text it preserved. */
export function hasSourceNumber(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return isSourceNumber(value) || Object.values(value).some(hasSourceNumber);
}

// Fractions are rounded everywhere, to 17 digits, but none must get lost; nor must an id or a count change unnoticed.
function isInexact(source: string): boolean {
  const number = Number(source);
  if (!Number.isFinite(number)) return true;
  if (Math.abs(number) <= Number.MAX_SAFE_INTEGER || /[eE]/.test(source)) return false;
  const [digits = '', fraction = ''] = source.split('.');
  return /[1-9]/.test(fraction) || BigInt(digits) !== BigInt(number);
}
