import { isObject } from '../core/objects/is-object.ts';

// A name may have dots, which lead into the objects of a webhook's body.
const PLACEHOLDER = /\{\{[ \t]{0,9}([^\s{}]{1,200})[ \t]{0,9}\}\}/g;

const OUTPUT_OF_STEP = /^steps\.([^.]{1,50})\.output$/;

/** The values that a template is rendered with, by name. */
export type TemplateValues = Readonly<Record<string, unknown>>;

/** A template with its values in place. */
interface Rendered {
  readonly text: string;
  /** The names in it that have no value, each once: nothing stands in their place. */
  readonly missing: readonly string[];
}

/** Returns the names that `{{ name }}` in a template refers to, each once, in the order of the text. */
export function namesIn(template: string): string[] {
  return [...new Set([...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
}

/** Returns the step whose output a name in a template is; `undefined` for the name of a variable. */
export function stepOfName(name: string): string | undefined {
  return OUTPUT_OF_STEP.exec(name)?.[1];
}

/**
 * Puts values into a template, in one pass: what a value holds is never read as a template. Texts stand as they are,
 * numbers and booleans as JSON has them, objects and lists as JSON. A name with dots is the value of that name, or
 * leads through objects and lists. Only what was sent has a value, so that `{{constructor}}` has none. Returns
 * `undefined` when the result would be longer than `maxLength` characters.
 */
export function renderTemplate(template: string, values: TemplateValues, maxLength: number): Rendered | undefined {
  const missing = new Set<string>();
  const texts = new Map<string, string>();
  const parts: string[] = [];
  let length = 0;
  const add = (part: string): boolean => {
    parts.push(part);
    length += part.length;
    return length <= maxLength;
  };
  let end = 0;
  for (const { 0: whole, 1: name = '', index } of template.matchAll(PLACEHOLDER)) {
    const value = valueOf(values, name);
    if (value === undefined) missing.add(name);
    const text = texts.get(name) ?? textOf(value);
    texts.set(name, text);
    if (!add(template.slice(end, index)) || !add(text)) return undefined;
    end = index + whole.length;
  }
  return add(template.slice(end)) ? { text: parts.join(''), missing: [...missing] } : undefined;
}

function valueOf(values: TemplateValues, name: string): unknown {
  if (Object.hasOwn(values, name)) return values[name];
  let value: unknown = values;
  for (const key of name.split('.')) {
    if (!(isObject(value) || Array.isArray(value)) || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
