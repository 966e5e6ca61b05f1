import { type ReactNode, useMemo, useState } from 'react';
import { isSourceNumber } from '../../../domain/core/exact-json.ts';
import { isObject } from '../../../domain/core/objects.ts';
import { Field, TextAreaField } from '../fields/text-fields.tsx';
import { JsonField } from '../editor/json-field.tsx';
import { readJson } from '../editor/json-text.ts';
import { useEditorText, useSchemaText } from '../text.ts';
import { CheckboxField, SelectField } from '../fields/fields.tsx';
import { InlineCode } from '../page/page.tsx';
import { showInvisible } from '../visible.ts';

interface SchemaFieldsProps {
  /** The JSON schema of an object. What is wrong with it does no harm: the values are then edited as JSON. */
  readonly schema: unknown;
  /** The name of the values in what the server is sent, and the words for them where they are edited as JSON. */
  readonly name: string;
  readonly label: string;
  readonly values: SchemaValues;
  readonly onValuesChange: (values: SchemaValues) => void;
}

/** The fields of an object that a JSON schema describes. The server checks what is entered; nothing is run here. */
export function SchemaFields({ schema, name, label, values, onValuesChange }: SchemaFieldsProps): ReactNode {
  const { notFitting } = useEditorText();
  const [first] = useState(values);
  const fields = useMemo(() => fieldsOfSchema(schema), [schema]);
  // What has no field would be sent unseen.
  if (fields === undefined || !hasFieldForEach(first, fields))
    return (
      <JsonField
        label={label}
        name={name}
        value={values}
        onValueChange={onValuesChange}
        faultOf={(value) => (isObject(value) ? undefined : notFitting)}
      />
    );
  return fields.map((field) => (
    <OneField
      key={field.name}
      path={`${name}.${field.name}`}
      field={field}
      value={values[field.name]}
      onValueChange={(value) => onValuesChange(withValue(values, field, value))}
    />
  ));
}

function hasFieldForEach(values: SchemaValues, fields: readonly SchemaField[]): boolean {
  const names = new Set(fields.map(({ name }) => name));
  return Object.keys(values).every((name) => names.has(name));
}

interface OneFieldProps {
  readonly path: string;
  readonly field: SchemaField;
  readonly value: unknown;
  readonly onValueChange: (value: unknown) => void;
}

function OneField({ path, field, value, onValueChange }: OneFieldProps): ReactNode {
  const { notSet } = useSchemaText();
  const [isJson] = useState(!isShowable(field, value));
  const hint = field.hint === undefined ? {} : { hint: <InlineCode text={showInvisible(field.hint)} /> };
  const head = { label: showInvisible(field.label), name: path, onValueChange, ...hint };
  if (isJson || field.kind === 'json') return <JsonField {...head} value={value} isOptional={!field.isRequired} />;
  if (field.kind === 'text') return <TextLine {...head} field={field} value={textOf(value)} />;
  if (field.kind === 'number')
    return (
      <Field
        {...head}
        inputMode="decimal"
        value={numberText(value)}
        onValueChange={(text) => onValueChange(text === '' ? undefined : numberIn(text))}
        required={field.isRequired}
      />
    );
  if (field.kind === 'boolean') return <CheckboxField {...head} value={value === true} />;
  if (field.kind === 'enum') return <SelectField {...head} options={optionsOf(field, notSet)} value={textOf(value)} />;
  return <Lines {...head} value={value} />;
}

/** A longer text is shown on several lines. */
const LONG_TEXT = 100;

type Kind<K extends SchemaField['kind']> = Extract<SchemaField, { kind: K }>;

function TextLine({ field, ...line }: HeadProps & { readonly field: Kind<'text'>; readonly value: string }): ReactNode {
  // A line would lose the breaks of a text.
  const [isLong] = useState(field.isLong || line.value.includes('\n') || line.value.length > LONG_TEXT);
  const Text = isLong ? TextAreaField : Field;
  const { maxLength, isRequired } = field;
  return <Text {...line} required={isRequired} {...(maxLength !== undefined && { maxLength })} />;
}

// An id of 64 bits is sent as it is typed. What is no number, or none yet, is sent as a text: the server says so.
function numberIn(text: string): unknown {
  const read = readJson(text);
  return 'value' in read && numberText(read.value) === text && typeof read.value !== 'string' ? read.value : text;
}

function numberText(value: unknown): string {
  if (isSourceNumber(value)) return value.rawJSON;
  return typeof value === 'number' || typeof value === 'string' ? String(value) : '';
}

type HeadProps = Pick<OneFieldProps, 'onValueChange'> & {
  readonly label: string;
  readonly name: string;
  readonly hint?: ReactNode;
};

// An unfinished line is kept while it is typed, although it is no entry yet.
function Lines({ value, onValueChange, hint, ...head }: HeadProps & { readonly value: unknown }): ReactNode {
  const { onePerLine } = useSchemaText();
  const stored = Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
  const [typed, setTyped] = useState('');
  const text = linesIn(typed).join('\n') === stored.join('\n') ? typed : stored.join('\n');
  return (
    <TextAreaField
      {...head}
      hint={
        <>
          {hint} {onePerLine}
        </>
      }
      value={text}
      onValueChange={(changed) => {
        setTyped(changed);
        const entries = linesIn(changed);
        onValueChange(entries.length === 0 ? undefined : entries);
      }}
    />
  );
}

/** Returns the lines of a text that say something. */
export function linesIn(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

function optionsOf({ options, isRequired }: Kind<'enum'>, notSet: string) {
  const own = options.map((option) => ({ value: option, label: showInvisible(option) }));
  return isRequired ? own : [{ value: '', label: notSet }, ...own];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

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
  const hint = wordsOf(schema['description']);
  const head = { name, label: wordsOf(schema['title']) ?? name, isRequired, ...(hint !== undefined && { hint }) };
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

/** Returns whether a value is a text that one line can say. */
export function isOneLine(value: unknown): boolean {
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

function wordsOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
