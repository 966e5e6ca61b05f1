import { isUtf8 } from 'node:buffer';
import express, { type Request, type Response } from 'express';
import { AppError } from '../../domain/core/app-error.ts';
import { parseExactJson } from '../../domain/core/exact-json.ts';
import { jsonSizeIssue } from '../../domain/core/foreign-json.ts';
import { type BodyLimit, declaredBytes } from '../limits/bodies/body-limit.ts';
import { InvalidRequest } from '../http/problem.ts';

/** The bytes of a body, at most. */
export const MAX_BODY_BYTES = 1024 * 1024;
const MAX_DEPTH = 32;

/** JSON, and the formats that are made of it, such as `application/cloudevents+json`. */
export const JSON_TYPES = ['application/json', 'application/*+json'];
const FORM = { limit: MAX_BODY_BYTES, type: JSON_TYPES };
const readText = express.text({ ...FORM, verify: checkEncoding });
const readSignedText = express.text({ ...FORM, verify: keepBytes });

const NO_BYTES = new Uint8Array();
const bytesOf = new WeakMap<object, Uint8Array>();

/** Returns the bytes of a body that was read as a signed one; none for other requests. */
export function signedBytesOf(request: Request): Uint8Array {
  return bytesOf.get(request) ?? NO_BYTES;
}

interface BodyOptions {
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
  { limit, sender, isSigned = false, keepsNumbers = false }: BodyOptions,
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

// The parser would replace invalid UTF-8 with U+FFFD, and the stored text would differ from the sent text.
function checkEncoding(_request: unknown, _response: unknown, body: Buffer, charset: string): void {
  if (charset !== 'utf-8') throw unsupportedEncoding();
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

/** Returns what the sender of a body is told that could not be read. */
export function toBodyFailure(error: unknown): Error {
  // The error of `checkEncoding`: the parser has only added to it.
  if (error instanceof AppError || error instanceof InvalidRequest) return error;
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  switch (type) {
    case 'entity.too.large':
      return new AppError('too_large', 'The body must not exceed 1 MB', { cause: error });
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

function invalidJson(msg: string): InvalidRequest {
  return new InvalidRequest([{ type: 'json_invalid', loc: ['body'], msg }]);
}
