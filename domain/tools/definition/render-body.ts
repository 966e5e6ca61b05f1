import { isObject } from '../../core/objects/is-object.ts';
import { failRead } from './parsed.ts';
import { nameOf, textOf, type Values, valueAt } from './render-text.ts';
import type { BodyTemplate, RequestTemplate } from './request-template.ts';
import { type Placeholder, type Template, wholePlaceholder } from './template.ts';

/** Writes a body; undefined when an absent value is all of it. */
export function renderBody(
  { form, content }: NonNullable<RequestTemplate['body']>,
  values: Values,
): string | undefined {
  if (form === 'text') return 'text' in content ? renderText(content.text, values) : undefined;
  const value = fill(content, values);
  if (value === undefined) return undefined;
  return form === 'json' ? JSON.stringify(value) : renderForm(value as Record<string, unknown>);
}

/** Fills a body: a text that is one placeholder becomes its value, whatever the type. */
function fill(template: BodyTemplate, values: Values): unknown {
  if ('constant' in template) return template.constant;
  if ('items' in template) {
    return template.items.map((item) => fill(item, values)).filter((value) => value !== undefined);
  }
  if ('text' in template) {
    const whole = wholePlaceholder(template.text);
    return whole === undefined ? jsonText(template.text, values) : valueAt(values, whole);
  }
  const members = template.members.map(([name, value]) => [name, fill(value, values)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

// Within a text of JSON, lists and objects are written as JSON.
function jsonText(template: Template, values: Values): string {
  return template.map((part) => (typeof part === 'string' ? part : innerText(part, values))).join('');
}

function innerText(placeholder: Placeholder, values: Values): string {
  const value = valueAt(values, placeholder);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : textOf(nameOf(placeholder), value);
}

function renderText(template: Template, values: Values): string | undefined {
  const whole = wholePlaceholder(template);
  return whole !== undefined && valueAt(values, whole) === undefined ? undefined : jsonText(template, values);
}

function renderForm(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((each) => `${encode(name)}=${encode(scalar(name, each))}`),
    )
    .join('&');
}

function scalar(name: string, value: unknown): string {
  if (isObject(value) || Array.isArray(value)) failRead(`the field ${name} of the form must not be an object`);
  return textOf(`the field ${name} of the form`, value);
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll('%20', '+');
}
