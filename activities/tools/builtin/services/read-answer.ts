import type { z } from 'zod';
import type { GuardedResponse, Service, ServiceAnswer, ServiceRequest, ToolContext } from '../../context.ts';
import { sendRequest } from '../../requests/send-request.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { RunEffect } from '../../tool.ts';

/**
 * Returns what a service has answered, as a schema names it. Throws `ToolFailure` when it is something else; after a
 * write it is uncertain then whether that was made.
 */
export function readAnswer<S extends z.ZodType>(
  answer: Pick<ServiceAnswer, 'json' | 'effect'>,
  schema: S,
): z.output<S> {
  const { data, error } = schema.safeParse(answer.json());
  if (error === undefined) return data;
  const at = error.issues[0]?.path.join('.') ?? '';
  throw new ToolFailure('upstream', `The answer is not that of the service's API (at "${at}"): check the base_url`, {
    // Whoever answers so may have done it all the same; a call that the model makes again has another key.
    isUncertain: answer.effect !== 'read',
  });
}

/**
 * Returns the given members of an object, or of each object of a list, as far as they exist: the other members of
 * answers would fill a model's context. Their names are separated by blanks. One with dots, such as `user.login`, keeps
 * only that of a member.
 */
export function pickFields(value: unknown, names: string): unknown {
  return pick(value, names.split(' '));
}

function pick(value: unknown, names: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => pick(each, names));
  if (typeof value !== 'object' || value === null) return value;
  const members = new Map<string, unknown>(Object.entries(value));
  return Object.fromEntries(
    [...wantedOf(names)].flatMap(([name, inner]) => {
      const member = members.get(name);
      if (member === undefined || member === null) return [];
      return [[name, inner.length === 0 ? member : pick(member, inner)]];
    }),
  );
}

/** A request of an action. Without an effect of its own it reads when its method is GET, and else has the action's. */
export interface ActionRequest extends Omit<ServiceRequest, 'effect'> {
  readonly effect?: RunEffect;
}

/** The service of an integration as an action of a tool uses it. */
export interface ActionService extends Omit<Service, 'request'> {
  /** Sends a request, as `Service` does. */
  request(request: ActionRequest): Promise<ServiceAnswer>;
  /** Sends a request and returns the given members of its JSON answer, by `pickFields`. */
  pick(request: ActionRequest, names: string): Promise<unknown>;
  /** Sends a request and returns its answer as a schema names it, by `readAnswer`. */
  read<S extends z.ZodType>(request: ActionRequest, schema: S): Promise<z.output<S>>;
}

/** Returns a service as an action with this effect uses it. */
export function serviceFor(service: Service, effect: RunEffect): ActionService {
  const request = async (given: ActionRequest) =>
    service.request({ effect: (given.method ?? 'GET') === 'GET' ? 'read' : effect, ...given });
  return {
    ...service,
    request,
    pick: async (given, names) => pickFields((await request(given)).json(), names),
    read: async (given, schema) => readAnswer(await request(given), schema),
  };
}

/** Returns the names of members, each with the wanted members below it; none means all. */
function wantedOf(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const wanted = new Map<string, string[]>();
  for (const name of names) {
    const [first = '', ...rest] = name.split('.');
    const inner = wanted.get(first) ?? [];
    wanted.set(first, rest.length === 0 ? inner : [...inner, rest.join('.')]);
  }
  return wanted;
}

/** The characters of the header `Link` (RFC 8288) that are read. */
const MAX_HEADER = 8_000;

/** Returns the cursor in the link to the next page of a list; undefined when there is no further page. */
export function nextCursorOf(answer: Pick<ServiceAnswer, 'headers'>): string | undefined {
  return nextLinkOf(answer)?.searchParams.get('cursor') ?? undefined;
}

/** Returns the whole query of the link to the next page of a list; undefined when there is no further page. */
export function nextQueryOf(answer: Pick<ServiceAnswer, 'headers'>): string | undefined {
  return nextLinkOf(answer)?.searchParams.toString();
}

function nextLinkOf({ headers }: Pick<ServiceAnswer, 'headers'>): URL | undefined {
  for (const link of (headers.get('link') ?? '').slice(0, MAX_HEADER).split('<')) {
    const [address = '', rest = ''] = link.split('>', 2);
    // Sentry links to a next page that has no results, and says so.
    if (rest.includes('rel="next"') && !rest.includes('results="false"')) return URL.parse(address) ?? undefined;
  }
  return undefined;
}

interface ListRequest extends Pick<ServiceRequest, 'path' | 'query'> {
  /** The `next` of a former page, which replaces the query. */
  readonly cursor: string | undefined;
  /** The kept fields of each record, in the syntax of `pickFields`. */
  readonly fields: string;
  /** The member of the answer that is the list; the answer itself unless given. */
  readonly within?: string;
}

/** Returns a page of a list, under a name, and the `next` of it; the pages lead to each other by the header `Link`. */
export async function listPage(
  service: Pick<Service, 'request'>,
  name: string,
  { path, query, cursor, fields, within }: ListRequest,
) {
  const where = cursor === undefined ? { path, query } : { path: `${path}?${new URLSearchParams(cursor).toString()}` };
  const answer = await service.request({ ...where, effect: 'read' });
  const json = answer.json();
  const items = pickFields(within === undefined ? json : membersOf(json).get(within), fields);
  return { [name]: items, next: nextQueryOf(answer) };
}

function membersOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}

const TIMEOUT_MS = 60_000;

interface Elsewhere {
  readonly service: Service;
  readonly context: Pick<ToolContext, 'http' | 'signal'>;
  readonly maxBytes: number;
}

/**
 * Fetches what an answer leads to, such as a file in the storage of the service, without any credentials: the address
 * itself grants access, so no message contains it.
 */
export async function fetchElsewhere(
  { headers }: Pick<ServiceAnswer, 'headers'>,
  { service, context, maxBytes }: Elsewhere,
): Promise<Buffer> {
  const url = URL.parse(headers.get('location') ?? '');
  if (url === null) throw new ToolFailure('upstream', `${service.name} does not say where this is`);
  const request = { url: url.href, method: 'GET', headers: {}, body: undefined, followRedirects: false };
  const answer = await sendRequest({ ...request, timeoutMs: TIMEOUT_MS, maxBytes }, 'read', context);
  return bodyOf(answer, maxBytes);
}

function bodyOf({ status, body, isTruncated }: GuardedResponse, maxBytes: number): Buffer {
  if (status >= 300) throw new ToolFailure('upstream', `The storage of the service answers with the status ${status}`);
  if (isTruncated) throw new ToolFailure('upstream', `It is larger than ${maxBytes} bytes`);
  return body;
}
