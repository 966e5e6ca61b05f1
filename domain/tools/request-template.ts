import { z } from 'zod';
import type { SecretPlace } from '../integrations/integration-kind.ts';
import { isConnectionHeader, isHeaderName, READING_METHODS } from '../network/http-headers.ts';
import { failRead, parseBy, type Parsed, parsed, readJsonObject, valueOf } from './parsed.ts';

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const MAX_TEXT = 8_192;
const MAX_PARAMETERS = 200;
const MAX_HEADERS = 64;

/** The headers that request a range of an answer, in which a secret would be split. */
const PART_HEADERS: ReadonlySet<string> = new Set(['range', 'if-range']);

const scalar = z.union([z.string().max(MAX_TEXT), z.number(), z.boolean()]);
const headerName = z.string().max(200).refine(isHeaderName, 'must be the name of a header');

const fileSchema = z.strictObject({
  method: z.enum(METHODS),
  url: z.string().min(1).max(MAX_TEXT),
  headers: z.record(headerName, z.string().max(MAX_TEXT)).optional(),
  query: z.record(z.string().min(1).max(200), z.union([scalar, z.array(scalar).max(MAX_PARAMETERS)])).optional(),
  body: z.unknown().optional(),
  result: z.string().min(1).max(10_000).optional(),
});

/** How a body is written. `text` is sent as it is. */
type BodyForm = 'json' | 'form' | 'text';

/** A body with placeholders: its texts are templates, the names of its members are not. */
export type BodyTemplate =
  | { readonly text: Template }
  | { readonly items: readonly BodyTemplate[] }
  | { readonly members: readonly (readonly [name: string, value: BodyTemplate])[] }
  | { readonly constant: number | boolean | null };

/** A request that is made of a call's arguments, and of secrets. The address up to its path is fixed. */
export interface RequestTemplate {
  readonly method: (typeof METHODS)[number];
  /** Scheme, host and port. */
  readonly origin: string;
  /** Begins with a slash, and may contain a query. */
  readonly path: Template;
  readonly headers: readonly (readonly [name: string, value: Template])[];
  /** A parameter with a list is repeated. */
  readonly query: readonly (readonly [name: string, value: Template])[];
  readonly body: { readonly form: BodyForm; readonly content: BodyTemplate } | undefined;
  /** JSONata over `{ status, headers, body }`. */
  readonly result: string | undefined;
  /** The secrets that it takes, and where each is put. */
  readonly secrets: readonly SecretUse[];
}

/** A secret in a part of a request. */
interface SecretUse {
  readonly field: string;
  readonly location: SecretPlace;
}

/** Reads the text of an `http.json`. `parameters` are the names of the arguments that there are; any unless given. */
export function readRequestFile(text: string, parameters?: ReadonlySet<string>): Parsed<RequestTemplate> {
  return parsed(() => valueOf(parseRequestTemplate(valueOf(readJsonObject(text)), parameters)));
}

/** Reads the content of an `http.json`, as `readRequestFile` does. */
export function parseRequestTemplate(content: unknown, parameters?: ReadonlySet<string>): Parsed<RequestTemplate> {
  return parsed(() => readTemplate(valueOf(parseBy(fileSchema, content)), parameters));
}

type TemplateReader = (text: string, location: string) => Template;

function readTemplate(file: z.infer<typeof fileSchema>, parameters: ReadonlySet<string> | undefined): RequestTemplate {
  const { method, headers = {}, query = {}, result } = file;
  const secrets: SecretUse[] = [];
  const at: TemplateReader = (text, location) => {
    const template = valueOf(parseTemplate(text), location);
    const unknown = placeholdersOf(template).find(
      ({ of, name }) => of === 'argument' && parameters?.has(name) === false,
    );
    if (unknown !== undefined) failRead(`${location}: {{ ${unknown.name} }} is no property of parameters in tool.json`);
    secrets.push(...secretsIn(template, location));
    return template;
  };
  if (Object.keys(headers).length > MAX_HEADERS) failRead(`headers: there are more than ${MAX_HEADERS}`);
  const template: RequestTemplate = {
    method,
    ...readAddress(file.url, at),
    headers: Object.entries(headers).map(([name, value]) => [name, readHeader(name, value, at)]),
    query: readQuery(query, at),
    body: readBody(file, at),
    result,
    secrets,
  };
  checkWhole(template);
  return template;
}

// A server that repeats a secret could be read in ranges, none of which contains all of it, so that it would not be
// masked.
function checkWhole({ headers, secrets }: RequestTemplate): void {
  const part = headers.find(([name]) => PART_HEADERS.has(name.toLowerCase()));
  if (part === undefined || secrets.length === 0) return;
  failRead(`headers.${part[0]}: a request with credentials cannot ask for a part of an answer`);
}

/** Returns the secrets in a text, and the part of the request that contains each. */
function secretsIn(template: Template, location: string): SecretUse[] {
  const question = template.findIndex((part) => typeof part === 'string' && part.includes('?'));
  return template.flatMap((part, index) => {
    if (typeof part === 'string' || part.of === 'argument') return [];
    const isBehind = location === 'url' && question !== -1 && question < index;
    return { field: part.name, location: isBehind ? 'query' : locationOf(location) };
  });
}

function locationOf(location: string): SecretPlace {
  if (location === 'url') return 'path';
  if (location.startsWith('headers.')) return 'header';
  return location.startsWith('query.') ? 'query' : 'body';
}

const ORIGIN = /^https?:\/\/[^/?#\\@{}\s]+/i;

function readAddress(url: string, at: TemplateReader): Pick<RequestTemplate, 'origin' | 'path'> {
  const start = ORIGIN.exec(url)?.[0] ?? '';
  const rest = url.slice(start.length);
  const origin = URL.parse(start)?.origin;
  const isPath = rest === '' || rest.startsWith('/') || rest.startsWith('?');
  if (origin === undefined || !isPath) {
    return failRead('url: it must begin with https:// or http:// and a host, without user name and placeholders');
  }
  if (rest.includes('#')) failRead('url: it must not contain a #');
  const path = at(rest.startsWith('/') ? rest : `/${rest}`, 'url');
  const isPlain = path.every((part) => typeof part !== 'string' || !/[\\\s]/.test(part));
  return isPlain ? { origin, path } : failRead('url: it must not contain spaces or backslashes');
}

function readHeader(name: string, value: string, at: TemplateReader): Template {
  if (isConnectionHeader(name)) failRead(`headers.${name}: it belongs to the connection, and cannot be set`);
  const template = at(value, `headers.${name}`);
  if (name.toLowerCase() === 'content-type' && !isLiteral(template)) {
    failRead('headers.content-type: it decides how the body is written, so it must not contain placeholders');
  }
  if (template.some((part) => typeof part === 'string' && /[^\t\x20-\x7e]/.test(part))) {
    failRead(`headers.${name}: it contains characters that a header cannot have`);
  }
  return template;
}

function readQuery(
  query: NonNullable<z.infer<typeof fileSchema>['query']>,
  at: TemplateReader,
): RequestTemplate['query'] {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each) => [name, at(String(each), `query.${name}`)] as const),
  );
  if (parameters.length > MAX_PARAMETERS) failRead(`query: there are more than ${MAX_PARAMETERS} parameters`);
  return parameters;
}

function readBody(
  { method, headers = {}, body }: z.infer<typeof fileSchema>,
  at: TemplateReader,
): RequestTemplate['body'] {
  if (body === undefined) return undefined;
  if (READING_METHODS.has(method)) return failRead(`body: a ${method} request has none; use query`);
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const form = formOf(type);
  const content = bodyTemplate(body, 'body', at);
  if (form === 'form') checkForm(content);
  if (form === 'text') checkText(content, type);
  return { form, content };
}

const essenceOf = (type: string | undefined) =>
  (type ?? 'application/json').split(';', 1)[0]?.trim().toLowerCase() ?? '';

function formOf(type: string | undefined): BodyForm {
  const essence = essenceOf(type);
  if (essence === 'application/x-www-form-urlencoded') return 'form';
  return essence === 'application/json' || essence.endsWith('+json') ? 'json' : 'text';
}

function checkForm(content: BodyTemplate): void {
  const isFlat =
    'members' in content &&
    content.members.every(([, value]) =>
      'items' in value ? value.items.every((item) => 'text' in item || 'constant' in item) : !('members' in value),
    );
  if (!isFlat) failRead('body: a form is an object of texts, numbers, booleans, and lists of them');
}

// In any other format a value could be taken for syntax, unless it is all of the body.
function checkText(content: BodyTemplate, type: string | undefined): void {
  if (!('text' in content)) return failRead(`body: with the content type ${type} it must be a text`);
  const isSafe =
    isLiteral(content.text) || wholePlaceholder(content.text) !== undefined || essenceOf(type) === 'text/plain';
  if (!isSafe) failRead(`body: with the content type ${type} a placeholder must be all of it`);
}

function bodyTemplate(value: unknown, location: string, at: TemplateReader): BodyTemplate {
  if (typeof value === 'string') return { text: at(value, location) };
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return { constant: value };
  if (Array.isArray(value))
    return { items: value.map((item, index) => bodyTemplate(item, `${location}.${index}`, at)) };
  const members = Object.entries(value as object).map(([name, each]) => {
    if (name.includes('{{')) failRead(`${location}: the names of members must not contain placeholders`);
    return [name, bodyTemplate(each, `${location}.${name}`, at)] as const;
  });
  return { members };
}

/** A text with placeholders. */
export type Template = readonly TemplatePart[];

/** A literal text, or a placeholder. */
type TemplatePart = string | Placeholder;

/** Refers to an argument of the call, or to a secret of the tool's integration. */
export interface Placeholder {
  readonly of: 'argument' | 'secret';
  readonly name: string;
}

const PLACEHOLDER = /\{\{[ \t]{0,9}([A-Za-z_][\w-]{0,99})(\.[\w-]{1,100})?[ \t]{0,9}\}\}/g;

/** Reads the placeholders `{{ name }}` and `{{ secret.name }}` of a text. */
function parseTemplate(text: string): Parsed<Template> {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const { 0: whole, 1: name = '', 2: field, index } of text.matchAll(PLACEHOLDER)) {
    const isSecret = name === 'secret' && field !== undefined;
    if (field !== undefined && !isSecret) {
      return { issue: `${whole} is no placeholder: write the name of an argument, or secret.<field>` };
    }
    parts.push(text.slice(end, index), isSecret ? { of: 'secret', name: field.slice(1) } : { of: 'argument', name });
    end = index + whole.length;
  }
  parts.push(text.slice(end));
  if (parts.some((part) => typeof part === 'string' && part.includes('{{'))) {
    return { issue: 'a placeholder is not written as {{ name }}' };
  }
  return { value: parts.filter((part) => part !== '') };
}

/** Writes a placeholder as definitions do. */
export function written({ of, name }: Placeholder): string {
  return of === 'secret' ? `{{ secret.${name} }}` : `{{ ${name} }}`;
}

/** Returns the placeholder that is all of a template; undefined when there is other text, or none. */
export function wholePlaceholder(template: Template): Placeholder | undefined {
  const [only, ...others] = template;
  return others.length === 0 && typeof only === 'object' ? only : undefined;
}

/** Returns whether a template has no placeholder. */
export function isLiteral(template: Template): boolean {
  return template.every((part) => typeof part === 'string');
}

/** Lists the placeholders of a template. */
function placeholdersOf(template: Template): readonly Placeholder[] {
  return template.filter((part) => typeof part === 'object');
}
