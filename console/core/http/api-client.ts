import createClient, { type Client } from 'openapi-fetch';
import type { paths } from '../../openapi.ts';
import type { Session } from '../session/session.ts';
import { Problem, problemOfBody, unreachable } from './problem.ts';
import { parseExactJson } from '../../../domain/core/exact-json.ts';

/** The api as one organization sees it. Paths, bodies and answers are typed by the server's own description. */
export type Api = Pick<Client<paths>, (typeof METHODS)[number]>;

/**
 * Makes a client that signs its requests with the session's token. Without `orgId` it is for routes of no organization.
 */
export function createApi(session: Session, orgId?: string): Api {
  const client = createClient<paths>({
    baseUrl: location.origin,
    fetch: async (request) => send(session, request),
    ...(orgId !== undefined && { headers: { 'X-Org-Id': orgId } }),
  });
  return Object.fromEntries(METHODS.map((method) => [method, exact(client[method] as Call)])) as unknown as Api;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Call = (path: string, init?: { readonly parseAs?: string }) => Promise<Answered<unknown>>;

/** Returns a method that keeps the numbers of answers in JSON, which the library would round. */
function exact(call: Call): Call {
  return async (path, init) => {
    if (init?.parseAs !== undefined) return call(path, init);
    const answered = await call(path, { ...init, parseAs: 'text' });
    const { data } = answered;
    return typeof data === 'string' ? { ...answered, data: data === '' ? undefined : parseJson(data) } : answered;
  };
}

/** Returns what a request was answered with; throws a `Problem` for everything but success. */
export async function answerOf<T>(call: Promise<Answered<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw problemOfBody(response, error);
  return data as T;
}

/** Returns a page of a list with the number of all its records. */
export async function pageOf<T>(call: Promise<Answered<T[]>>): Promise<{ items: T[]; total: number }> {
  const { data, error, response } = await call;
  if (!response.ok || data === undefined) throw problemOfBody(response, error);
  return { items: data, total: Number(response.headers.get('x-total-count') ?? data.length) };
}

/** What a request was answered with, as the client returns it. */
export interface Answered<T> {
  readonly data?: T | undefined;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * Sends a request with the token of now, and once more with another one when that was not taken. A request that has
 * credentials of its own keeps them.
 */
async function send(session: Session, request: Request): Promise<Response> {
  if (request.headers.has('Authorization')) return fetchSigned(request, undefined);
  const token = await session.accessToken();
  const again = request.clone();
  const response = await fetchSigned(request, token);
  if (response.status !== 401 || token === undefined) return response;
  const other = await session.accessToken(token);
  if (other === undefined) return response;
  await response.body?.cancel();
  return fetchSigned(again, other);
}

async function fetchSigned(request: Request, token: string | undefined): Promise<Response> {
  if (token !== undefined) request.headers.set('Authorization', `Bearer ${token}`);
  try {
    return await fetch(request);
  } catch (error) {
    if (error instanceof Problem || (error instanceof DOMException && error.name === 'AbortError')) throw error;
    throw unreachable(error);
  }
}

/** Returns the header that has a change refused with 412 once the record has another version; none without one. */
export function ifMatch(version: string | undefined): { 'If-Match'?: string } {
  return version === undefined ? {} : { 'If-Match': `"${version}"` };
}

/**
 * Parses JSON without changing its numbers: 1234567890123456789 is shown, and sent back, as it came. A browser that
 * cannot keep them reads them as JavaScript does.
 */
export const parseJson: (text: string) => unknown = 'rawJSON' in JSON ? parseExactJson : JSON.parse;
