import { isSourceNumber } from '../../../domain/core/exact-json.ts';
import { isObject } from '../../../domain/core/objects.ts';

/** A field that a form can show, as a JSON schema describes it. */
export type SchemaField = {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly isRequired: boolean;
} & (
  | { readonly kind: 'text'; readonly isLong: boolean; readonly maxLength?: number }
  | { readonly kind: 'number' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'enum'; readonly options: readonly string[] }
  | { readonly kind: 'texts' }
  | { readonly kind: 'json' }
);

/** The values that a schema form edits. */
export type SchemaValues = Readonly<Record<string, unknown>>;

type Schema = Readonly<Record<string, unknown>>;

/** Fields beyond these are edited together, as JSON. */
const MAX_FIELDS = 100;

/**
 * Returns the fields of an object's JSON schema. What is not flat (objects, lists of other things, several types, what
 * is referred to) is a field of JSON. The schema is read, never run. Returns `undefined` for a schema of no object.
 */
export function fieldsOfSchema(schema: unknown): readonly SchemaField[] | undefined {
  if (!isObject(schema) || !isObject(schema['properties'])) return undefined;
  const properties = Object.entries(schema['properties']);
  if (properties.length > MAX_FIELDS) return undefined;
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []);
  return properties.map(([name, property]) => fieldOf(name, isObject(property) ? property : {}, required.has(name)));
}

/** Returns whether the control of a field shows a value as it is, and gives it back unchanged. */
export function isShowable(field: SchemaField, value: unknown): boolean {
  if (value === undefined) return true;
  switch (field.kind) {
    // A text area turns carriage returns into line feeds.
    case 'text':
      return typeof value === 'string' && !value.includes('\r');
    case 'number':
      return typeof value === 'number' || isSourceNumber(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'enum':
      return field.options.some((option) => option === value);
    case 'texts':
      return Array.isArray(value) && value.every(isOneLine);
    case 'json':
    default:
      return true;
  }
}

/** Returns values with one more set; a text that was emptied, or a number, is left out unless it has to be there. */
export function withValue(values: SchemaValues, field: SchemaField, value: unknown): SchemaValues {
  const isNothing = value === null || value === undefined || (value === '' && !field.isRequired);
  if (!isNothing) return { ...values, [field.name]: value };
  return Object.fromEntries(Object.entries(values).filter(([name]) => name !== field.name));
}

function fieldOf(name: string, schema: Schema, isRequired: boolean): SchemaField {
  const hint = textOf(schema['description']);
  const head = { name, label: textOf(schema['title']) ?? name, isRequired, ...(hint !== undefined && { hint }) };
  const options = schema['enum'];
  if (Array.isArray(options) && options.every((each) => typeof each === 'string'))
    return { ...head, kind: 'enum', options: [...new Set(options)] };
  switch (schema['type']) {
    case 'string':
      return { ...head, kind: 'text', isLong: isLongText(schema), ...maxLengthOf(schema) };
    case 'number':
    case 'integer':
      return { ...head, kind: 'number' };
    case 'boolean':
      return { ...head, kind: 'boolean' };
    case 'array':
      return { ...head, kind: isObject(schema['items']) && isPlainText(schema['items']) ? 'texts' : 'json' };
    default:
      return { ...head, kind: 'json' };
  }
}

function isOneLine(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '' && !/[\r\n]/.test(value);
}

const LONG = 300;

// A text without a limit may have several lines, unless it has a format such as that of an address.
function isLongText({ maxLength, format }: Schema): boolean {
  if (format === 'multiline') return true;
  return typeof maxLength === 'number' ? maxLength > LONG : format === undefined;
}

function isPlainText(schema: Schema): boolean {
  return schema['type'] === 'string' && schema['enum'] === undefined;
}

function maxLengthOf({ maxLength }: Schema): { readonly maxLength?: number } {
  return typeof maxLength === 'number' ? { maxLength } : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
