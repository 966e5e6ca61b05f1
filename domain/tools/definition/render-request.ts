import type { Parsed } from './parsed.ts';
import { failRead, parsed } from './parsed.ts';
import { renderBody } from './render-body.ts';
import { nameOf, placedText, textOf, type Values, valueAt } from './render-text.ts';
import type { RequestTemplate } from './request-template.ts';
import { isLiteral, type Placeholder, type Template, wholePlaceholder, written } from './template.ts';

/** A request with the values of a call. */
export interface RenderedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const MAX_URL = 16_384;

/**
 * Makes the request of a call. Each value is encoded for its place, so that none can change where the request goes or
 * what it consists of; the issue names the one that cannot be written there, and never holds it. What an absent value
 * is all of (a header, a parameter, a member) is left out; within other text it is empty.
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
    .map((part) => (typeof part === 'string' ? part : encodeURIComponent(placedText(values, part))))
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
// values hold neither slashes nor question marks, so the parts of both routes correspond.
function checkSegments(route: string, path: Template): void {
  if (isLiteral(path)) return;
  const meant = path.map((part) => (typeof part === 'string' ? part : written(part))).join('');
  const segments = route.split('/');
  for (const [place, name] of (meant.split('?', 1)[0] ?? '').split('/').entries()) {
    const segment = segments[place] ?? '';
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
    return [template.map((part) => (typeof part === 'string' ? part : placedText(values, part))).join('')];
  }
  const value = valueAt(values, whole);
  if (value === undefined) return [];
  return Array.isArray(value) ? value.map((each) => textOf(nameOf(whole), each)) : [placedText(values, whole)];
}

/** Characters that end a part of a header's value. Within other text a value must not hold them. */
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
  const text = placedText(values, placeholder);
  const name = nameOf(placeholder);
  if (UNCARRIED.test(text)) failRead(`${name} holds characters that a header cannot carry`);
  if (isWithin && SEPARATORS.test(text)) failRead(`${name} must not hold " , ; or \\ in a header`);
  return text;
}
