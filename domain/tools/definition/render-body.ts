import { failRead } from './parsed.ts';
import { type Arguments, textOf, valueAt } from './render-text.ts';
import type { BodyTemplate, RequestTemplate } from './request-template.ts';
import { type Template, wholeArgument } from './template.ts';

/** Writes a body; undefined when an absent argument is all of it. */
export function renderBody(
  { form, content }: NonNullable<RequestTemplate['body']>,
  args: Arguments,
): string | undefined {
  if (form === 'text') return 'text' in content ? renderText(content.text, args) : undefined;
  const value = fill(content, args);
  if (value === undefined) return undefined;
  return form === 'json' ? JSON.stringify(value) : renderForm(value as Record<string, unknown>);
}

/** Fills a body: a text that is one placeholder becomes the argument's value, whatever its type. */
function fill(template: BodyTemplate, args: Arguments): unknown {
  if ('constant' in template) return template.constant;
  if ('items' in template) {
    return template.items.map((item) => fill(item, args)).filter((value) => value !== undefined);
  }
  if ('text' in template) {
    const name = wholeArgument(template.text);
    return name === undefined ? jsonText(template.text, args) : valueAt(args, name);
  }
  const members = template.members.map(([name, value]) => [name, fill(value, args)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

// Within a text of JSON, lists and objects are written as JSON.
function jsonText(template: Template, args: Arguments): string {
  return template.map((part) => (typeof part === 'string' ? part : innerText(part.argument, args))).join('');
}

function innerText(name: string, args: Arguments): string {
  const value = valueAt(args, name);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : textOf(name, value);
}

function renderText(template: Template, args: Arguments): string | undefined {
  const name = wholeArgument(template);
  return name !== undefined && valueAt(args, name) === undefined ? undefined : jsonText(template, args);
}

function renderForm(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((each) => `${encode(name)}=${encode(scalar(name, each))}`),
    )
    .join('&');
}

function scalar(name: string, value: unknown): string {
  if (typeof value === 'object' && value !== null) failRead(`the field ${name} of the form must not be an object`);
  return textOf(name, value);
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll('%20', '+');
}
