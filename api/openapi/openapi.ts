import { mayLackBody } from '../input/read-input.ts';
import { accessName, type Route } from '../http/define-route.ts';
import { TAGS } from '../http/tags.ts';
import { Components, type Json, toJsonSchema } from './json-schema.ts';
import { parametersOf } from './parameters.ts';
import { Responses } from './responses.ts';
import type { z } from 'zod';

const DESCRIPTION = `LLM agents that run as durable workflows.

**Signing in.** Send \`Authorization: Bearer\` with an access token or an API key. An access token lasts an hour; \`refreshTokens\`
returns a new pair, and returns the same pair again for the old refresh token for 30 seconds. \`X-Org-Id\` selects an organization of
yours other than the active one; for streams, \`org_id\` in the query does so too.

**Errors.** Every status from 400 on comes with \`{"detail": ...}\`: a text or, for 422, a list of issues. Besides the statuses that
an operation lists, any request can get 400 (malformed), 405 (method not supported here), 408 (sent too slowly) or 431 (headers
too large).

**Lists.** They accept \`limit\` and \`offset\`. \`X-Total-Count\` is the total number of records, and \`Link\` names the next
page while more follow.

**Concurrent edits.** Records that several people edit are returned with an \`ETag\`; a change that sends it back in \`If-Match\` is
rejected (412) if somebody else has changed the record in the meantime.

**Live updates.** \`sendMessage\` and \`attachToChat\` respond with server-sent events, each of which contains a \`TurnEvent\`. The WebSocket
\`/ws/chat/{chat_id}\` accepts frames (\`ClientFrame\`) and sends frames (\`ServerFrame\`), and \`/ws/events\` reports
(\`OrganizationFrame\`) which records of an organization have changed; \`x-websockets\` in this document describes both, including
their close codes.

**What may change.** Responses may gain fields, and events and frames new types: ignore those that you do not know. Requests are
strict: unknown fields and parameters are rejected, except that read-only fields of a record are ignored when the record is
sent back, and fields that only other requests set are accepted unchanged. In a new record, \`expires_at\` is rejected where it
cannot be set, and so is \`org_id\` unless it is the organization of the request.`;

export interface DocumentSources {
  readonly routes: readonly Route[];
  readonly sockets: readonly Socket[];
  readonly version: string;
}

/** Returns the OpenAPI 3.1 document of the service. */
export function openApiDocument({ routes, sockets, version }: DocumentSources): Json {
  const deps = { schemas: new Components('schemas'), parameters: new Components('parameters') };
  const responses = new Responses(deps.schemas);
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: operationOf(route, { ...deps, responses }) };
  }
  const socketParts = sockets.map((socket) => [socket.path, socketOf(socket, deps.schemas)] as const);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Everturn',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The server that served this document' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    'x-websockets': Object.fromEntries(socketParts),
    components: {
      schemas: deps.schemas.toJson(),
      parameters: deps.parameters.toJson(),
      responses: responses.responses.toJson(),
      headers: responses.headers.toJson(),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An access token or an API key' },
      },
    },
  };
}

interface OperationDeps {
  readonly schemas: Components;
  readonly parameters: Components;
  readonly responses: Responses;
}

function operationOf(route: Route, { schemas, parameters, responses }: OperationDeps): Json {
  const isPublic = route.access === 'public';
  const sent = route.body ?? route.delivery;
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: [route.description, accessText(route)].filter((text) => text !== undefined).join('\n\n'),
    tags: [route.tag],
    security: isPublic ? [] : [{ bearer: [] }],
    ...(!isPublic && { 'x-access': accessName(route.access) }),
    parameters: parametersOf(route, { schemas, parameters }),
    ...(sent && {
      requestBody: {
        required: !mayLackBody(route),
        content: { 'application/json': { schema: toJsonSchema(sent, 'input', schemas) }, ...fileOf(route) },
      },
    }),
    ...(route.upload && { requestBody: uploadOf(route.upload) }),
    responses: responses.ofRoute(route),
  };
}

function fileOf({ deliveredFile: file }: Route): Json {
  return file
    ? { [file.mediaType]: { schema: { type: 'string', format: 'binary', description: file.description } } }
    : {};
}

function uploadOf({ description, mediaType }: NonNullable<Route['upload']>): Json {
  const file = { type: 'string', format: 'binary', description };
  const schema = { type: 'object', required: ['file'], properties: { file } };
  const whole = mediaType === undefined ? {} : { [mediaType]: { schema: file } };
  return { required: true, content: { 'multipart/form-data': { schema }, ...whole } };
}

function accessText({ access, rejectsManaged, ownPagesOnly }: Route): string {
  const who = whoMayCall(access);
  if (ownPagesOnly === true)
    return `${who} Only for pages of this server, as browsers report in \`Sec-Fetch-Site\` or \`Origin\`; programs sign in with \`login\`.`;
  return rejectsManaged === true ? `${who} Not for accounts that an organization manages.` : who;
}

function whoMayCall(access: Route['access']): string {
  if (access === 'public') return 'For everybody; no token is required.';
  if (access === 'signed_in') return 'For every signed-in user.';
  if (access === 'in_org') return 'For every member of the organization.';
  if (typeof access === 'string') return `Requires the permission \`${access}\`.`;
  return access.org === 'viewer'
    ? 'For every member of the organization in the path.'
    : `Requires the role ${access.org} in the organization in the path, or a higher one.`;
}

/** The frames that clients send, and those that they receive: one JSON text a frame. */
interface Frames {
  readonly client: z.ZodType;
  readonly server: z.ZodType;
}

/** A WebSocket in the document: OpenAPI has no vocabulary for one. */
export interface Socket {
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description: string;
  readonly frames: Frames;
  /** The frames of clients that ask for a subprotocol, by its name. */
  readonly subprotocols: Readonly<Record<string, Frames>>;
  /** The meaning of each code that the server closes a connection with. */
  readonly closeCodes: Readonly<Record<number, string>>;
}

/** Returns a WebSocket's part of the document, the value of its path under `x-websockets`. */
export function socketOf(socket: Socket, schemas: Components): Json {
  const { summary, description, frames, subprotocols, closeCodes } = socket;
  const versions = Object.entries(subprotocols).map(([name, ofName]) => [name, framesOf(ofName, schemas)] as const);
  return {
    summary,
    description,
    ...framesOf(frames, schemas),
    subprotocols: Object.fromEntries(versions),
    'close-codes': closeCodes,
  };
}

function framesOf({ client, server }: Frames, schemas: Components): Json {
  return {
    'client-frame': toJsonSchema(client, 'input', schemas),
    'server-frame': toJsonSchema(server, 'output', schemas),
  };
}
