import { isUtf8 } from 'node:buffer';
import express, { type Request, type Response } from 'express';
import { z } from 'zod';
import { AppError } from '../../domain/core/app-error.ts';
import { parseExactJson } from '../../domain/core/exact-json.ts';
import { jsonSizeIssue } from '../../domain/core/foreign-json.ts';
import { type BodyLimit, declaredBytes } from '../limits/body-limit.ts';
import { invalidJson, InvalidRequest, issuesOf } from '../http/problem.ts';
import type { Route } from '../http/define-route.ts';
import { formatBytes } from '../../domain/core/text.ts';
import { describeIssue } from '../../domain/core/issues.ts';
import { conventionOf } from '../http/replies/failure-form.ts';

/** The bytes of a body, at most. */
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_DEPTH = 32;

/** JSON, and the formats that are made of it, such as `application/cloudevents+json`. */
const JSON_TYPES = ['application/json', 'application/*+json'];
const FORM = { limit: MAX_BODY_BYTES, type: JSON_TYPES };
const readText = express.text({ ...FORM, verify: checkEncoding });
const readSignedText = express.text({ ...FORM, verify: keepBytes });

const NO_BYTES = new Uint8Array();
const bytesOf = new WeakMap<object, Uint8Array>();

/** Returns the bytes of a body that was read as a signed one; none for other requests. */
export function signedBytesOf(request: Request): Uint8Array {
  return bytesOf.get(request) ?? NO_BYTES;
}

interface JsonBodyOptions {
  readonly limit: BodyLimit;
  readonly sender: string;
  /** Whether the bytes are kept for the check of a signature. */
  readonly isSigned?: boolean;
  /** Whether numbers are kept as by `parseExactJson`. */
  readonly keepsNumbers?: boolean;
}

/**
 * Reads the request's JSON body; `undefined` when it has none. Called after the caller was authorized, so that a
 * stranger cannot make the service read anything.
 */
export async function readJsonBody(
  request: Request,
  response: Response,
  { limit, sender, isSigned = false, keepsNumbers = false }: JsonBodyOptions,
): Promise<unknown> {
  if (request.headers['transfer-encoding'] === undefined && Number(request.headers['content-length'] ?? 0) === 0)
    return undefined;
  if (request.is(JSON_TYPES) === false) {
    throw new AppError('unsupported_media_type', 'The body must be sent as application/json');
  }
  const release = limit.acquire(sender, declaredBytes(request, MAX_BODY_BYTES));
  try {
    await new Promise<void>((resolve, reject) => {
      (isSigned ? readSignedText : readText)(request, response, (error?: unknown) =>
        error === undefined ? resolve() : reject(toBodyFailure(error)),
      );
    });
  } finally {
    release();
  }
  const text = request.body as string | undefined;
  // The reader reads nothing of a request whose sender has hung up.
  if (text === undefined) throw invalidJson('the body is missing');
  const body = parseBody(text, keepsNumbers ? parseExactJson : JSON.parse);
  request.body = body;
  return body;
}

function parseBody(text: string, parse: (json: string) => unknown): unknown {
  if (text === '') return {};
  // Measured first: in memory it can be many times its size, and everybody waits while it is parsed.
  const issue = jsonSizeIssue(text, MAX_DEPTH);
  if (issue !== undefined) throw invalidJson(`the body is too large: ${issue}`);
  const body = parseJson(text, parse);
  if (!hasPlainKeys(body)) throw invalidJson('the body must have no key "__proto__"');
  return body;
}

function parseJson(text: string, parse: (json: string) => unknown): unknown {
  try {
    return parse(text);
  } catch {
    throw invalidJson('the body is not valid JSON');
  }
}

/** UTF-8 with and without the hyphen. */
const UTF8_NAMES: ReadonlySet<string> = new Set(['utf-8', 'utf8']);

// The parser would replace invalid UTF-8 with U+FFFD, and the stored text would differ from the sent text.
function checkEncoding(_request: unknown, _response: unknown, body: Buffer, charset: string): void {
  if (!UTF8_NAMES.has(charset)) throw unsupportedEncoding();
  if (!isUtf8(body)) throw invalidJson('the body is not valid UTF-8');
}

/**
 * Returns whether no key of a value, which nests at most `MAX_DEPTH` levels, is silently dropped or taken for a
 * prototype.
 */
function hasPlainKeys(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return true;
  return !Object.hasOwn(value, '__proto__') && Object.values(value).every(hasPlainKeys);
}

function keepBytes(request: object, response: unknown, body: Buffer, charset: string): void {
  checkEncoding(request, response, body, charset);
  bytesOf.set(request, body);
}

/** Returns the failure for a body that could not be read. */
function toBodyFailure(error: unknown, maxBytes = MAX_BODY_BYTES): Error {
  // The error of `checkEncoding`: the parser has only added to it.
  if (error instanceof AppError || error instanceof InvalidRequest) return error;
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  switch (type) {
    case 'entity.too.large':
      return new AppError('too_large', `The body must not exceed ${formatBytes(maxBytes)}`, { cause: error });
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return unsupportedEncoding(error);
    default:
      return invalidJson('the body is not valid JSON');
  }
}

function unsupportedEncoding(cause?: unknown): AppError {
  return new AppError('unsupported_media_type', 'The body must be UTF-8, sent as it is or with gzip', { cause });
}

const noQuery = z.strictObject({});

type BodyOptions = Parameters<typeof readJsonBody>[2] & {
  /** Fields of the record that callers may send back, and cannot set. */
  readonly readOnly: ReadonlySet<string> | undefined;
  /** Fields of the record that callers may send back as they are. */
  readonly fixed: ReadonlySet<string> | undefined;
  readonly orgId: string | undefined;
};

/**
 * Reads what a request sends, and checks it by the schemas of its route. `sent` is the body before that, without the
 * fixed fields.
 */
export async function readInput(route: Route, request: Request, response: Response, options: BodyOptions) {
  const params = route.params && parse(route.params, pathOf(request), 'path');
  // Health checks may add parameters that keep their requests out of caches.
  const querySchema = route.query ?? (conventionOf(route.path) === 'own' ? noQuery : undefined);
  const query = querySchema && parse(querySchema, request.query, 'query');
  const { orgId, readOnly, fixed: fixedNames } = options;
  const missing = mayLackBody(route) ? {} : undefined;
  const raw = route.body && ((await readJsonBody(request, response, options)) ?? missing);
  const settable = withoutReadOnly(raw, readOnly, { isNew: route.method === 'post', orgId });
  const { sent, fixed } = splitFixed(settable, fixedNames);
  const body = route.body && parse(route.body, sent, 'body', fieldsOf(route.response.schema));
  const file = route.deliveredFile;
  const maxBytes = file !== undefined && request.is(file.mediaType) !== false ? file.maxBytes : MAX_BODY_BYTES;
  const delivered =
    route.delivery === undefined ? undefined : await readRawBody(request, response, { ...options, maxBytes });
  return { params, query, body, sent, fixed, delivered };
}

/** Returns whether a request needs no body: it starts something, and each of its fields has a default. */
export function mayLackBody({ method, body }: Pick<Route, 'method' | 'body'>): boolean {
  return method === 'post' && body instanceof z.ZodObject && body.safeParse({}).success;
}

// Of a parameter that takes the rest of a path the router makes a list of segments.
function pathOf({ params }: Request): Record<string, string> {
  const entries: [string, string | string[]][] = Object.entries(params);
  return Object.fromEntries(entries.map(([name, value]) => [name, Array.isArray(value) ? value.join('/') : value]));
}

function parse(
  schema: z.ZodType,
  value: unknown,
  part: 'path' | 'query' | 'body',
  recordFields: readonly string[] = [],
): unknown {
  const result = schema.safeParse(value, { error: describeIssue, reportInput: true });
  if (!result.success) throw new InvalidRequest(issuesOf(result.error, part, recordFields));
  return result.data;
}

function fieldsOf(response: unknown): readonly string[] {
  return response instanceof z.ZodObject ? Object.keys(response.shape) : [];
}

/** Reads the bytes of a request's body as they were sent, for a route that checks their signature. */
async function readRawBody(
  request: Request,
  response: Response,
  { limit, sender, maxBytes }: Pick<JsonBodyOptions, 'limit' | 'sender'> & { readonly maxBytes: number },
): Promise<Buffer> {
  const read = express.raw({ limit: maxBytes, type: () => true, inflate: false });
  const release = limit.acquire(sender, declaredBytes(request, maxBytes));
  try {
    await new Promise<void>((resolve, reject) => {
      read(request, response, (error?: unknown) =>
        error === undefined ? resolve() : reject(toBodyFailure(error, maxBytes)),
      );
    });
  } finally {
    release();
  }
  // The reader sets nothing for a request without a body.
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

/**
 * Secrets that are shown once: no record that is read has them, and a client that sends one believes that it could
 * choose it.
 */
const SHOWN_ONCE: ReadonlySet<string> = new Set(['key', 'token']);

/**
 * Finds the fields of records that callers read and can set nowhere, such as `id` and `created_at`: fields of a route's
 * response that no route with the same response accepts.
 */
export function readOnlyFields(routes: readonly Route[]): ReadonlyMap<z.ZodType, ReadonlySet<string>> {
  const byRecord = Map.groupBy(routes, ({ response }) => response.schema);
  const found = [...byRecord].flatMap(([record, ofRecord]): [z.ZodType, Set<string>][] => {
    if (!(record instanceof z.ZodObject)) return [];
    // A member has no id of its own.
    if (!('id' in record.shape) && !ofRecord.some(({ method }) => method === 'patch')) return [];
    const settable = new Set(
      ofRecord.flatMap(({ body }) => (body instanceof z.ZodObject ? Object.keys(body.shape) : [])),
    );
    const names = Object.keys(record.shape).filter((name) => !settable.has(name) && !SHOWN_ONCE.has(name));
    return [[record, new Set(names)]];
  });
  return new Map(found);
}

/** The request that a body came with. */
interface Sent {
  /** Whether it creates a record. */
  readonly isNew: boolean;
  /** The organization that it is created in. */
  readonly orgId: string | undefined;
}

/**
 * Returns a body without the fields in `readOnly`: a client that changes or clones a record may post back what it was
 * shown. Fields that express an intention for a new record stay, so that they are rejected as unknown.
 */
function withoutReadOnly(sent: unknown, readOnly: ReadonlySet<string> | undefined, request: Sent): unknown {
  if (readOnly === undefined || typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent;
  const kept = Object.entries(sent).filter(([name, value]) => !readOnly.has(name) || isIntention(name, value, request));
  return Object.fromEntries(kept);
}

/** Splits a body into its fixed fields and the others. */
function splitFixed(sent: unknown, names: ReadonlySet<string> | undefined) {
  if (names === undefined || typeof sent !== 'object' || sent === null || Array.isArray(sent))
    return { sent, fixed: {} };
  const byKind = Map.groupBy(Object.entries(sent), ([name]) => names.has(name));
  const fieldsOfKind = (isFixed: boolean): Record<string, unknown> => Object.fromEntries(byKind.get(isFixed) ?? []);
  return { sent: fieldsOfKind(false), fixed: fieldsOfKind(true) };
}

// A client that believes a key or an invite ends when, or is valid where, it said would not check again.
function isIntention(name: string, value: unknown, { isNew, orgId }: Sent): boolean {
  if (!isNew) return false;
  return name === 'expires_at' || (name === 'org_id' && !(typeof value === 'string' && value.toLowerCase() === orgId));
}
