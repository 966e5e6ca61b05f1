import type { z } from 'zod';
import type { Listed } from '../../db/core/page.ts';
import type { PermissionKey, Role } from '../../domain/permissions/keys.ts';
import type { ExpectedVersions, IdName, ResourceKey } from '../../domain/resources.ts';
import type { ApiContext, OrgCaller, SignedInCaller } from '../context/api-context.ts';
import type { FileBounds, IncomingFile } from '../input/incoming-file.ts';
import { idParams } from '../resources/id-fields.ts';
import type { FileReply } from './replies/file-reply.ts';
import type { SseReply } from './sse-reply.ts';
import type { Tag } from './tags.ts';

/**
 * A member, of at least this role, of the organization that the path names as `{org_id}`, whatever their active one is.
 */
export interface OrgAccess {
  readonly org: Role;
}

/**
 * The callers that a route admits: anybody (`public`), a signed-in user (`signed_in`), a member of the request's
 * organization (`in_org`), such a member whose role grants a permission key, or a member of the organization in the
 * path.
 */
export type Access = 'public' | 'signed_in' | 'in_org' | PermissionKey | OrgAccess;

/** Returns an access rule as one word, for readers of the API's description. */
export function accessName(access: Access): string {
  return typeof access === 'object' ? `org:${access.org}` : access;
}

/** The caller as a handler sees it, by the route's access. */
type CallerOf<A extends Access> = A extends 'public' ? undefined : A extends 'signed_in' ? SignedInCaller : OrgCaller;

type Schema = z.ZodType | undefined;
type Output<S extends Schema> = S extends z.ZodType ? z.output<S> : undefined;

/** The validated data of a request, and its sender. */
interface RouteInput<A extends Access, P extends Schema, Q extends Schema, B extends Schema> {
  readonly caller: CallerOf<A>;
  readonly params: Output<P>;
  readonly query: Output<Q>;
  readonly body: Output<B>;
  /** The address that the request came from. */
  readonly ip: string;
  /** Returns a header of the request, by its name in lower case. */
  header(name: string): string | undefined;
  /** The bytes of the body, for a route that `isSigned`; empty for others. */
  readonly signedBytes: Uint8Array;
  /** The ids of the route's resource to which the caller's allowlist is restricted; undefined when it allows all. */
  readonly allowedIds: readonly string[] | undefined;
  /**
   * Authorizes the caller again, with the rights that they have now: for a handler that has waited. Throws what a
   * caller without the right is answered.
   */
  authorizeAgain(): Promise<CallerOf<A>>;
  /**
   * The versions of the record that the request names in `If-Match`, of a route that takes it: a handler that has
   * locked the record passes them to `requireVersion`.
   */
  readonly expectedVersions: ExpectedVersions;
  /** Sets a cookie of the response, by the value of its `Set-Cookie` header. */
  setCookie(cookie: string): void;
  /** Sets the headers for a list's total and next page; returns the items of this page. */
  answerPage<T>(page: Listed<T>): readonly T[];
  /**
   * Records the account that a request to a public route concerns, even if it is then rejected: the audit log of
   * `orgId`, or of the account's active organization, names it.
   */
  noteUser(userId: string, orgId?: string): void;
  /** Records, for the audit log, which further records the request concerns: those that it does not name itself. */
  noteRecords(...ids: readonly string[]): void;
  /**
   * Records the organizations that a success concerns, when there may be several: the audit log of each has an entry.
   */
  noteOrgs(...orgIds: readonly string[]): void;
}

/** A request to a public route, before its body is read. */
export interface StrangerRequest {
  readonly params: Readonly<Record<string, unknown>>;
  /** The address that it came from. */
  readonly ip: string;
  header(name: string): string | undefined;
}

interface RouteHead<A extends Access, P extends Schema, Q extends Schema, B extends Schema> {
  readonly method: 'get' | 'post' | 'patch' | 'put' | 'delete';
  /** The path as OpenAPI writes it, with `{name}` for a parameter. */
  readonly path: `/${string}`;
  /** The resource of the route: its allowlist bounds lists and additions, and the audit log names it. */
  readonly resource: ResourceKey;
  /** Whether the last parameter of the path takes the rest of it, slashes included. */
  readonly takesRestOfPath?: true;
  readonly access: A;
  readonly tag: Tag;
  /** The name of the operation in generated clients: a verb and its object, unique among all routes. */
  readonly operationId: string;
  readonly summary: string;
  /** Anything that a caller has to know beyond the summary, for the API's description. */
  readonly description?: string;
  /** Whether users whose account an organization manages are rejected, whatever their other rights. */
  readonly rejectsManaged?: true;
  /**
   * Whether it answers pages of this server only, because the browser adds a cookie to what any page sends. Checked
   * once the request has been read: its form is no secret.
   */
  readonly ownPagesOnly?: true;
  /**
   * The audit log's name of the action, where it is not implied by the method: `view`, `create`, `update`, `set`,
   * `delete`.
   */
  readonly action?: string;
  /**
   * False for routine work that changes no rights, members, keys, providers or settings: only denials of it are
   * recorded.
   */
  readonly audit?: false;
  /**
   * Lets strangers in at a public route that many use from one address, instead of the limit on that address. Throws
   * the failure that a rejected one is answered with.
   */
  readonly letIn?: (request: StrangerRequest, context: ApiContext) => Promise<void>;
  /** Whether the same `Idempotency-Key` again answers with what the first request with it has begun. */
  readonly takesIdempotencyKey?: true;
  /** Whether the handler checks a signature of the bytes of the body. */
  readonly isSigned?: true;
  /**
   * Whether numbers of the body are kept as they were sent, where it contains free JSON that is passed on. Numbers with
   * a type of their own need `withPlainNumbers` in its schema.
   */
  readonly keepsNumbers?: true;
  /** Statuses beyond that of the response and those that follow from access and request. */
  readonly errors?: readonly number[];
  /** The ids in the path unless given. */
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
}

interface JsonRoute<
  A extends Access,
  P extends Schema,
  Q extends Schema,
  B extends Schema,
  R extends Schema,
> extends RouteHead<A, P, Q, B> {
  /** Without a schema the response has no body. */
  readonly response: {
    readonly status: number;
    readonly schema?: R;
    /** The content of the response, where it is not simply the route's record or list. */
    readonly description?: string;
  };
  readonly handler: (
    input: RouteInput<A, P, Q, B>,
    context: ApiContext,
  ) => Promise<R extends z.ZodType ? z.input<R> : void>;
}

interface StreamableRoute<
  A extends Access,
  P extends Schema,
  Q extends Schema,
  B extends Schema,
  R extends z.ZodType,
> extends RouteHead<A, P, Q, B> {
  readonly response: {
    readonly status: 200;
    readonly stream: 'text/event-stream';
    /** The data of one event of the stream. */
    readonly schema: z.ZodType;
    /** The response when no stream was asked for. */
    readonly whole: R;
  };
  /** Returns the whole response, or undefined when it has streamed it. May throw until it has opened the reply. */
  readonly handler: (
    input: RouteInput<A, P, Q, B>,
    context: ApiContext,
    reply: SseReply,
  ) => Promise<z.input<R> | undefined>;
}

/** A single response whose content and status another protocol defines. */
export interface RelayedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface RelayRoute<A extends Access, P extends Schema, Q extends Schema, B extends Schema> extends RouteHead<
  A,
  P,
  Q,
  B
> {
  readonly response: {
    readonly status: 200;
    readonly stream: 'text/event-stream';
    /** The data of one event of the stream. */
    readonly schema: z.ZodType;
    /** The response, when it is not a stream. */
    readonly whole: z.ZodType;
    readonly isRelayed: true;
  };
  /** Returns the whole response, or undefined when it has streamed it. May throw until it has opened the reply. */
  readonly handler: (
    input: RouteInput<A, P, Q, B>,
    context: ApiContext,
    reply: SseReply,
  ) => Promise<RelayedAnswer | undefined>;
}

interface StreamRoute<A extends Access, P extends Schema, Q extends Schema, B extends Schema> extends RouteHead<
  A,
  P,
  Q,
  B
> {
  readonly response: {
    readonly status: 200;
    readonly stream: 'text/event-stream';
    /** The data of one event of the stream. */
    readonly schema: z.ZodType;
    /** Whether a reader that has had all of it is answered 204. */
    readonly mayBeOver?: true;
  };
  /** May throw until it has opened the reply. */
  readonly handler: (
    input: RouteInput<A, P, Q, B> & {
      readonly lastEventId: string | undefined;
      /**
       * Checks the right to the stream whenever that of the caller is checked; `check` throws the error that ends the
       * stream.
       */
      checkWhileOpen(check: (caller: CallerOf<A>) => Promise<void>): void;
    },
    context: ApiContext,
    reply: SseReply,
  ) => Promise<void>;
}

/**
 * Receives the file of a request: `take` reads its bytes while they arrive, and fails when the request turns out
 * faulty.
 */
type Receive = <T>(bounds: FileBounds, take: (file: IncomingFile) => Promise<T>) => Promise<T>;

/** The file that a request brings, in a multipart form with one part, `file`. */
interface Upload {
  readonly description: string;
  /** The media type with which the file may also be the body itself. */
  readonly mediaType?: string;
}

interface UploadRoute<A extends Access, P extends Schema, Q extends Schema, R extends z.ZodType> extends Omit<
  RouteHead<A, P, Q, undefined>,
  'body'
> {
  readonly upload: Upload;
  readonly response: { readonly status: number; readonly schema: R };
  readonly handler: (
    input: RouteInput<A, P, Q, undefined> & { readonly receive: Receive },
    context: ApiContext,
  ) => Promise<z.input<R>>;
}

interface DownloadRoute<A extends Access, P extends Schema, Q extends Schema> extends RouteHead<A, P, Q, undefined> {
  readonly response: {
    readonly status: 200;
    readonly download: string;
    /** The media type of the file, where all have one. */
    readonly mediaType?: string;
  };
  /** May throw until it has sent the reply. */
  readonly handler: (input: RouteInput<A, P, Q, undefined>, context: ApiContext, reply: FileReply) => Promise<void>;
}

/** The request of a program, before anything is known of it: its signature is over these bytes. */
export interface Delivery {
  readonly body: Buffer;
  /** Returns a header by its name in lower case. */
  header(name: string): string | undefined;
}

interface DeliveredFile {
  readonly description: string;
  readonly mediaType: string;
  readonly maxBytes: number;
}

interface DeliveryRoute<P extends Schema, R extends z.ZodType> extends Omit<
  RouteHead<'public', P, undefined, undefined>,
  'body' | 'query'
> {
  /** The schema of the request body, for the API's description. */
  readonly delivery: z.ZodType;
  /** An alternative form of the body. */
  readonly deliveredFile?: DeliveredFile;
  readonly response: { readonly status: number; readonly schema: R };
  readonly handler: (
    input: RouteInput<'public', P, undefined, undefined> & { readonly delivery: Delivery },
    context: ApiContext,
  ) => Promise<z.input<R>>;
}

/** A route as the router, the OpenAPI document and the derived tests read it. */
export interface Route extends RouteHead<Access, Schema, Schema, Schema> {
  readonly upload?: Upload;
  readonly delivery?: z.ZodType;
  readonly deliveredFile?: DeliveredFile;
  readonly response: {
    readonly status: number;
    readonly schema?: z.ZodType | undefined;
    readonly description?: string;
    readonly stream?: 'text/event-stream';
    /** The response of a route that streams only when the request asks for it, when it is not a stream. */
    readonly whole?: z.ZodType;
    /** Whether another protocol decides the status and the headers of a response that is not a stream. */
    readonly isRelayed?: true;
    readonly mayBeOver?: true;
    /** The content of the file that is the response. */
    readonly download?: string;
    readonly mediaType?: string;
  };
  readonly handler: (input: never, context: ApiContext, reply: never) => Promise<unknown>;
}

/** The names of the parameters of a path. */
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** The parameters of a path in which each names a record. */
type IdsIn<Path extends string> = [NamesIn<Path>] extends [never]
  ? undefined
  : [NamesIn<Path>] extends [IdName]
    ? z.ZodObject<{ [Name in NamesIn<Path>]: z.ZodUUID }>
    : never;

interface At<Path extends string> {
  readonly path: Path;
}

/** Returns a route with the parameters of its path: ids of records, unless it declares others. */
function withIds(route: Route): Route {
  const [, ...parts] = route.path.split('{');
  const names = parts.map((part) => part.slice(0, part.indexOf('}')) as IdName);
  return route.params !== undefined || names.length === 0 ? route : { ...route, params: idParams(...names) };
}

/** Declares a route that responds with JSON, or with no body. */
export function defineRoute<
  const A extends Access,
  const Path extends string,
  P extends Schema = IdsIn<Path>,
  Q extends Schema = undefined,
  B extends Schema = undefined,
  R extends Schema = undefined,
>(route: JsonRoute<A, P, Q, B, R> & At<Path>): Route {
  return withIds(route);
}

/** Declares a route that responds with a stream of server-sent events. */
export function defineStreamRoute<
  const A extends Access,
  const Path extends string,
  P extends Schema = IdsIn<Path>,
  Q extends Schema = undefined,
  B extends Schema = undefined,
>(route: StreamRoute<A, P, Q, B> & At<Path>): Route {
  return withIds(route);
}

/** Declares a route that responds with JSON, or with a stream of server-sent events when the request asks for it. */
export function defineStreamableRoute<
  const A extends Access,
  const Path extends string,
  R extends z.ZodType,
  P extends Schema = IdsIn<Path>,
  Q extends Schema = undefined,
  B extends Schema = undefined,
>(route: StreamableRoute<A, P, Q, B, R> & At<Path>): Route {
  return withIds(route);
}

/**
 * Declares a route at which another protocol is spoken: its library answers, with one response or with a stream of
 * events.
 */
export function defineRelayRoute<
  const A extends Access,
  const Path extends string,
  P extends Schema = IdsIn<Path>,
  Q extends Schema = undefined,
  B extends Schema = undefined,
>(route: RelayRoute<A, P, Q, B> & At<Path>): Route {
  return withIds(route);
}

/** Declares a route that takes a file, sent as a multipart form, and responds with JSON. */
export function defineUploadRoute<
  const A extends Access,
  const Path extends string,
  R extends z.ZodType,
  P extends Schema = IdsIn<Path>,
  Q extends Schema = undefined,
>(route: UploadRoute<A, P, Q, R> & At<Path>): Route {
  return withIds(route);
}

/** Declares a route that responds with a file. */
export function defineDownloadRoute<
  const A extends Access,
  const Path extends string,
  P extends Schema = IdsIn<Path>,
  Q extends Schema = undefined,
>(route: DownloadRoute<A, P, Q> & At<Path>): Route {
  return withIds(route);
}

/** Declares a route that other programs deliver something to, with a signature instead of credentials. */
export function defineDeliveryRoute<const Path extends string, R extends z.ZodType, P extends Schema = IdsIn<Path>>(
  route: DeliveryRoute<P, R> & At<Path>,
): Route {
  return withIds(route);
}

/** Returns whether the header `X-Org-Id` selects the organization of a request; for some routes the path does. */
export function namesOrganization({ access }: Pick<Route, 'access'>): boolean {
  return typeof access === 'string' && access !== 'public' && access !== 'signed_in';
}
