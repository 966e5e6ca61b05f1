import { z } from 'zod';
import type { Route } from '../http/define-route.ts';
import { failureStatuses } from '../http/failure-statuses.ts';
import { EXAMPLE_ID } from '../http/fields.ts';
import type { ValidationIssue } from '../http/problem.ts';
import { conventionOf, failureBody, failureForm } from '../http/replies/failure-form.ts';
import { answersETag } from '../resources/versions.ts';
import { Components, type Json, toJsonSchema } from './json-schema.ts';

interface Failure {
  readonly name: string;
  readonly description: string;
  readonly example: string | readonly ValidationIssue[];
  readonly headers?: readonly string[];
}

const HEADERS = {
  'X-Total-Count': { description: 'The number of records in the whole list', schema: { type: 'integer', minimum: 0 } },
  Link: {
    description: 'While more records follow: `<...>; rel="next"`, the URL of the next page (RFC 8288)',
    schema: { type: 'string' },
  },
  ETag: {
    description: 'The version of the record, for `If-Match`: its `updated_at`, in quotes',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'The number of seconds after which to retry',
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': {
    description:
      'How to sign in: `Bearer`, and for an invalid token `error="invalid_token"`, with an `error_description` that says whether it has expired (RFC 6750)',
    schema: { type: 'string' },
  },
} as const;

const FAILURES: Readonly<Record<number, Failure>> = {
  400: { name: 'BadRequest', description: 'A rule was broken', example: '"agents.fly" is not a permission key' },
  401: {
    name: 'Unauthenticated',
    description: 'The token is missing, invalid, expired or revoked',
    example: 'Missing or invalid token',
    headers: ['WWW-Authenticate'],
  },
  403: {
    name: 'Forbidden',
    description: 'The caller may not do this; `detail` names the missing right',
    example: 'Your role does not include the permission agents.manage',
  },
  404: {
    name: 'NotFound',
    description: 'The record does not exist, or the caller may not see it',
    example: 'Agent not found',
  },
  409: { name: 'Conflict', description: 'Conflicts with the current state', example: 'The agent is not deleted' },
  412: {
    name: 'PreconditionFailed',
    description: "The record's version differs from `If-Match`; nothing was stored",
    example: 'The record was changed since you read it, so nothing was stored: read it again, then change it',
  },
  406: {
    name: 'NotAcceptable',
    description: 'The client accepts none of the response types',
    example: 'Not Acceptable: Client must accept both application/json and text/event-stream',
  },
  413: { name: 'TooLarge', description: 'The body is too large', example: 'The body is too large' },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body has a type that the operation does not accept; it expects JSON in UTF-8 or a multipart form',
    example: 'The body must be application/json',
  },
  416: {
    name: 'RangeNotSatisfiable',
    description: 'The requested range is beyond the end of the file',
    example: 'The file has 1024 bytes',
  },
  421: {
    name: 'Misdirected',
    description: 'The request addresses the server by a host name that is not its own',
    example: 'This server is not known as other.example.com',
  },
  422: {
    name: 'ValidationError',
    description: 'The data of the request is invalid',
    example: [{ type: 'too_small', loc: ['body', 'name'], msg: 'must not be empty' }],
  },
  429: {
    name: 'TooManyRequests',
    description: 'A limit was reached; `detail` says which',
    example: 'Too many requests; try again later',
    headers: ['Retry-After'],
  },
  500: {
    name: 'InternalError',
    description: 'An internal error; the operator can find it in the log by the id in `detail`',
    example: `Internal error; ask the operator for the request ${EXAMPLE_ID}`,
  },
  502: {
    name: 'UpstreamFailed',
    description: 'An upstream server gave no usable response; `detail` says why',
    example: 'The server could not be reached: nothing listens at its address (connection refused)',
  },
  503: {
    name: 'Unavailable',
    description: 'The database or another component is temporarily unavailable',
    example: 'The database is not reachable; try again shortly',
    headers: ['Retry-After'],
  },
};

/** The 401 response of a public route: the request itself contained the wrong password or token. */
const SIGN_IN_REJECTED: Failure = {
  name: 'SignInRefused',
  description: 'The password or token in the body is wrong, expired or revoked',
  example: 'The e-mail address or the password is wrong',
  headers: ['WWW-Authenticate'],
};

/** The response to a message that needs no answer. */
const TAKEN = { 202: { description: 'A notification or a response was accepted; the response has no body' } };

/** The response to a reader that has received the whole stream. */
const OVER = { 204: { description: 'By its `Last-Event-ID` the client already has the end; nothing follows' } };

/** The responses of operations; those to failures are shared by all. */
export class Responses {
  readonly #schemas: Components;
  readonly responses = new Components('responses');
  readonly headers = new Components('headers');

  constructor(schemas: Components) {
    this.#schemas = schemas;
  }

  /** Returns every response of a route, by status. */
  ofRoute(route: Route): Json {
    const failures = failureStatuses(route).map((status) => [status, this.#failure(route, status)]);
    const { response } = route;
    const ofFile = response.download === undefined ? {} : this.#fileResponses(response);
    const ofRelay = conventionOf(route.path) === 'mcp' ? TAKEN : {};
    const ofEnd = response.mayBeOver === true ? OVER : {};
    return {
      [response.status]: this.#success(route),
      ...ofFile,
      ...ofRelay,
      ...ofEnd,
      ...Object.fromEntries(failures),
    };
  }

  #fileResponses({ mediaType }: Route['response']): Json {
    return {
      206: this.#file('The part requested by `Range`', mediaType),
      304: { description: 'The file still has the `ETag` sent in `If-None-Match`; the response has no body' },
    };
  }

  #file(description: string, mediaType: string | undefined): Json {
    // Generators of clients know the first as a file, and answers may have any type.
    const types = mediaType === undefined ? ['application/octet-stream', '*/*'] : [mediaType];
    const file = { schema: { type: 'string', format: 'binary' } };
    return { description, content: Object.fromEntries(types.map((type) => [type, file])) };
  }

  #success(route: Route): Json {
    const { response, method } = route;
    if (response.download !== undefined) return this.#file(response.download, response.mediaType);
    if (response.schema === undefined) return { description: 'Done; the response has no body' };
    if (response.stream !== undefined) return this.#stream(response.stream, response.schema, response.whole);
    const schema = toJsonSchema(response.schema, 'output', this.#schemas);
    const isList = method === 'get' && response.schema.type === 'array';
    return {
      description: response.description ?? (isList ? 'A page of the list' : recordText(method, response.status)),
      ...(isList && { headers: this.#headersOf(['X-Total-Count', 'Link']) }),
      ...(answersETag(route) && { headers: this.#headersOf(['ETag']) }),
      content: { 'application/json': { schema } },
    };
  }

  // A media type's schema describes the whole content, which generated clients parse with it. OpenAPI 3.1 has no
  // keyword for one event.
  #stream(type: string, event: z.ZodType, whole?: z.ZodType): Json {
    const schema = toJsonSchema(event, 'output', this.#schemas);
    const stream = `stream of events; the data of each is the schema \`${z.globalRegistry.get(event)?.id}\``;
    return {
      description: whole === undefined ? `A ${stream}` : `The whole answer or, if requested, a ${stream}`,
      content: {
        ...(whole && { 'application/json': { schema: toJsonSchema(whole, 'output', this.#schemas) } }),
        [type]: { schema: { type: 'string' }, 'x-event-schema': schema },
      },
    };
  }

  #failure(route: Route, status: number): Json {
    const failure = status === 401 && route.access === 'public' ? SIGN_IN_REJECTED : FAILURES[status];
    if (failure === undefined)
      throw new Error(`say in FAILURES what ${status} means, which ${route.operationId} answers`);
    const { name, description, example, headers } = failure;
    const form = failureForm(route.path);
    // Operations refer to them some thousand times.
    return this.responses.addOnce(form.name + name, () => ({
      description,
      ...(headers !== undefined && { headers: this.#headersOf(headers) }),
      content: {
        'application/json': {
          schema: toJsonSchema(form.schema, 'output', this.#schemas),
          example: failureBody(route.path, { status, detail: example }),
        },
      },
    }));
  }

  #headersOf(names: readonly string[]): Json {
    const references = names.map((name) => {
      const part = HEADERS[name as keyof typeof HEADERS];
      return [name, this.headers.add(name.replaceAll('-', ''), part)] as const;
    });
    return Object.fromEntries(references);
  }
}

function recordText(method: Route['method'], status: number): string {
  if (method === 'get') return 'The record';
  return status === 201 ? 'The new record' : 'The record after the change';
}
