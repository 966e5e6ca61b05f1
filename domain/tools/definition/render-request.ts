import type { Parsed } from './parsed.ts';
import { failRead, parsed } from './parsed.ts';
import { renderBody } from './render-body.ts';
import { type Arguments, textOf, valueAt } from './render-text.ts';
import type { RequestTemplate } from './request-template.ts';
import { isLiteral, type Template, wholeArgument } from './template.ts';

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
 * what it consists of; the issue names the argument whose value cannot be written there. What an absent argument is all
 * of (a header, a parameter, a member) is left out; within other text it is empty.
 */
export function renderRequest(template: RequestTemplate, args: Arguments): Parsed<RenderedRequest> {
  return parsed(() => ({
    method: template.method,
    url: renderAddress(template, args),
    headers: renderHeaders(template, args),
    body: template.body && renderBody(template.body, args),
  }));
}

function renderAddress({ origin, path, query }: RequestTemplate, args: Arguments): string {
  const rendered = path.map((part) => (typeof part === 'string' ? part : encodeText(part.argument, args))).join('');
  const [route = '', ...given] = rendered.split('?');
  checkSegments(route, path);
  const parameters = query.flatMap(([name, value]) =>
    parameterValues(value, args).map((text) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`),
  );
  const search = [...(given.length === 0 ? [] : [given.join('?')]), ...parameters].filter((each) => each !== '');
  const url = `${origin}${route}${search.length === 0 ? '' : `?${search.join('&')}`}`;
  if (url.length > MAX_URL) failRead(`the address would be longer than ${MAX_URL} characters`);
  return url;
}

function encodeText(name: string, args: Arguments): string {
  return encodeURIComponent(textOf(name, valueAt(args, name)));
}

// A name that is empty or made of dots would address another resource than the one that the definition means. Encoded
// values hold neither slashes nor question marks, so the parts of both routes correspond.
function checkSegments(route: string, path: Template): void {
  if (isLiteral(path)) return;
  const meant = path.map((part) => (typeof part === 'string' ? part : `{{ ${part.argument} }}`)).join('');
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

/** The values of a query parameter: several when a list is all of it, none when an absent argument is. */
function parameterValues(template: Template, args: Arguments): readonly string[] {
  const name = wholeArgument(template);
  if (name === undefined) {
    return [
      template
        .map((part) => (typeof part === 'string' ? part : textOf(part.argument, valueAt(args, part.argument))))
        .join(''),
    ];
  }
  const value = valueAt(args, name);
  if (value === undefined) return [];
  return Array.isArray(value) ? value.map((each) => textOf(name, each)) : [textOf(name, value)];
}

/** Characters that end a part of a header's value. Within other text a value must not hold them. */
const SEPARATORS = /[",;\\]/;
const UNCARRIED = /[^\t\x20-\x7e]/;

function renderHeaders({ headers, body }: RequestTemplate, args: Arguments): Record<string, string> {
  const rendered = headers.flatMap(([name, template]) => {
    const whole = wholeArgument(template);
    if (whole !== undefined && valueAt(args, whole) === undefined) return [];
    const text = template.map((part) =>
      typeof part === 'string' ? part : headerText(part.argument, args, whole === undefined),
    );
    return [[name, text.join('')] as const];
  });
  const isTyped = rendered.some(([name]) => name.toLowerCase() === 'content-type');
  const typed = body === undefined || isTyped ? [] : [['Content-Type', 'application/json'] as const];
  return Object.fromEntries([...rendered, ...typed]);
}

function headerText(name: string, args: Arguments, isWithin: boolean): string {
  const text = textOf(name, valueAt(args, name));
  if (UNCARRIED.test(text)) failRead(`the argument ${name} holds characters that a header cannot carry`);
  if (isWithin && SEPARATORS.test(text)) failRead(`the argument ${name} must not hold " , ; or \\ in a header`);
  return text;
}
