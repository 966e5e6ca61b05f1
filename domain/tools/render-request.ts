import { isSourceNumber } from '../core/exact-json.ts';
import { isObject } from '../core/objects.ts';
import type { Secrets } from '../integrations/integration-kind.ts';
import { failRead, type Parsed, parsed } from './parsed.ts';
import {
  type BodyTemplate,
  isLiteral,
  type Placeholder,
  type RequestTemplate,
  type Template,
  wholePlaceholder,
  written,
} from './request-template.ts';

/** A request with the values of a call. */
interface RenderedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const MAX_URL = 16_384;

/**
 * Makes the request of a call. Each value is encoded for its position, so that none can change where the request goes
 * or what it consists of. The issue names a value that cannot be written there, and never contains it. What an absent
 * value is all of (a header, a parameter, a member) is left out; within other text it is empty.
 */
export function renderRequest(template: RequestTemplate, values: Values): Parsed<RenderedRequest> {
  return parsed(() => ({
    method: template.method,
    url: renderAddress(template, values),
    headers: renderHeaders(template, values),
    body: template.body && renderBody(template.body, values),
  }));
}

function renderAddress({ origin, path, query }: RequestTemplate, values: Values): string {
  const rendered = path
    .map((part) => (typeof part === 'string' ? part : encodeURIComponent(valueText(values, part))))
    .join('');
  const [route = '', ...given] = rendered.split('?');
  checkSegments(route, path);
  const parameters = query.flatMap(([name, value]) =>
    parameterValues(value, values).map((text) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`),
  );
  const search = [...(given.length === 0 ? [] : [given.join('?')]), ...parameters].filter((each) => each !== '');
  const url = `${origin}${route}${search.length === 0 ? '' : `?${search.join('&')}`}`;
  if (url.length > MAX_URL) failRead(`the address would be longer than ${MAX_URL} characters`);
  return url;
}

// A name that is empty or made of dots would address another resource than the one that the definition means. Encoded
// values contain neither slashes nor question marks, so the parts of both routes correspond.
function checkSegments(route: string, path: Template): void {
  if (isLiteral(path)) return;
  const meant = path.map((part) => (typeof part === 'string' ? part : written(part))).join('');
  const segments = route.split('/');
  for (const [index, name] of (meant.split('?', 1)[0] ?? '').split('/').entries()) {
    const segment = segments[index] ?? '';
    if (segment === '' && name !== '') failRead(`the part ${name} of the address must not be empty`);
    if (isDots(segment)) failRead(`the part ${name} of the address would lead to another one`);
  }
}

// %2e is read as a dot.
function isDots(segment: string): boolean {
  const plain = segment.replaceAll(/%2e/gi, '.');
  return plain === '.' || plain === '..';
}

/** The values of a query parameter: several when a list is all of it, none when an absent value is. */
function parameterValues(template: Template, values: Values): readonly string[] {
  const whole = wholePlaceholder(template);
  if (whole === undefined) {
    return [template.map((part) => (typeof part === 'string' ? part : valueText(values, part))).join('')];
  }
  const value = valueAt(values, whole);
  if (value === undefined) return [];
  return Array.isArray(value) ? value.map((each) => textOf(nameOf(whole), each)) : [valueText(values, whole)];
}

/** Characters that end a part of a header's value. Within other text a value must not contain them. */
const SEPARATORS = /[",;\\]/;
const UNCARRIED = /[^\t\x20-\x7e]/;

function renderHeaders({ headers, body }: RequestTemplate, values: Values): Record<string, string> {
  const rendered = headers.flatMap(([name, template]) => {
    const whole = wholePlaceholder(template);
    if (whole !== undefined && valueAt(values, whole) === undefined) return [];
    const text = template.map((part) =>
      typeof part === 'string' ? part : headerText(part, values, whole === undefined),
    );
    return [[name, text.join('')] as const];
  });
  const isTyped = rendered.some(([name]) => name.toLowerCase() === 'content-type');
  const typed = body === undefined || isTyped ? [] : [['Content-Type', 'application/json'] as const];
  return Object.fromEntries([...rendered, ...typed]);
}

function headerText(placeholder: Placeholder, values: Values, isWithin: boolean): string {
  const text = valueText(values, placeholder);
  const name = nameOf(placeholder);
  if (UNCARRIED.test(text)) failRead(`${name} contains characters that a header cannot have`);
  if (isWithin && SEPARATORS.test(text)) failRead(`${name} must not contain " , ; or \\ in a header`);
  return text;
}

/** Writes a body; undefined when an absent value is all of it. */
function renderBody({ form, content }: NonNullable<RequestTemplate['body']>, values: Values): string | undefined {
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

/** The values that a request is made of. */
interface Values {
  /** The checked arguments of the call. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly secrets: Secrets;
}

/** Returns the value of a placeholder; undefined when there is none. */
function valueAt({ args, secrets }: Values, { of, name }: Placeholder): unknown {
  const values: Readonly<Record<string, unknown>> = of === 'secret' ? secrets : args;
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** Names a placeholder in a sentence, without its value. */
function nameOf({ of, name }: Placeholder): string {
  return of === 'secret' ? `the credential ${name}` : `the argument ${name}`;
}

/**
 * Writes the value of what has this name as text: nothing for null and absent ones. Lists and objects have no such
 * form.
 */
function textOf(name: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (isSourceNumber(value)) return value.rawJSON;
  return failRead(`${name} must be a text, a number or a boolean where it is used`);
}

/** Writes the value of a placeholder as text. */
function valueText(values: Values, placeholder: Placeholder): string {
  return textOf(nameOf(placeholder), valueAt(values, placeholder));
}
