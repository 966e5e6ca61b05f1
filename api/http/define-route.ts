import type { z } from 'zod';
import type { Listed } from '../../db/core/index.ts';
import type { PermissionKey, Role } from '../../domain/permissions/index.ts';
import type { ResourceKey } from '../../domain/resources/index.ts';
import type { ApiContext, OrgCaller, SignedInCaller } from '../context/api-context.ts';
import type { SseReply } from './sse-reply.ts';
import type { Tag } from './tags.ts';

/** A member, of at least this role, of the organization that the path names as `{org_id}`, whatever their active one is. */
export interface OrgAccess {
  readonly org: Role;
}

/**
 * Who may call a route: anybody (`public`), a signed-in user (`signed_in`), a member of the organization the request is
 * about (`in_org`), such a member whose role holds a permission key, or a member of the organization in the path.
 */
export type Access = 'public' | 'signed_in' | 'in_org' | PermissionKey | OrgAccess;

/** An access as one word, for readers of the API's description. */
export function accessName(access: Access): string {
  return typeof access === 'object' ? `org:${access.org}` : access;
}

/** What a handler knows of its caller, by the route's access. */
type CallerOf<A extends Access> = A extends 'public' ? undefined : A extends 'signed_in' ? SignedInCaller : OrgCaller;

type Schema = z.ZodType | undefined;
type Output<S extends Schema> = S extends z.ZodType ? z.output<S> : undefined;

/** The checked data of a request and who sent it. */
interface RouteInput<A extends Access, P extends Schema, Q extends Schema, B extends Schema> {
  readonly caller: CallerOf<A>;
  readonly params: Output<P>;
  readonly query: Output<Q>;
  readonly body: Output<B>;
  /** The address that the request came from. */
  readonly ip: string;
  /** Of the ids of the route's resource those that the caller's allowlist allows only; undefined when it allows all. */
  readonly allowedIds: readonly string[] | undefined;
  /** Says how many records a list has in all, and where the page after this one begins; answers those of this one. */
  answerPage<T>(page: Listed<T>): readonly T[];
  /**
   * Says whose account a request to a public route is about, also when it is then refused: the audit log of `orgId`, or of
   * their active organization, names them.
   */
  noteUser(userId: string, orgId?: string): void;
  /** Says which further records the request was about, for the audit log: those whose ids it does not name itself. */
  noteRecords(...ids: readonly string[]): void;
}

interface RouteHead<A extends Access, P extends Schema, Q extends Schema, B extends Schema> {
  readonly method: 'get' | 'post' | 'patch' | 'put' | 'delete';
  /** As the specification writes it, with `{name}` for a parameter. */
  readonly path: `/${string}`;
  /** What the route is about: whose allowlist bounds what it lists and adds, and what the audit log names. */
  readonly resource: ResourceKey;
  readonly access: A;
  readonly tag: Tag;
  /** What generated clients call the operation: a verb and what it is done to, unique among all routes. */
  readonly operationId: string;
  readonly summary: string;
  /** What a caller has to know beyond the summary, for the API's description. */
  readonly description?: string;
  /** Whether users whose account an organization manages are refused, whatever else they may do. */
  readonly rejectsManaged?: true;
  /**
   * What is done to the resource, as the audit log calls it, where that is not what the method says: `view`, `create`,
   * `update`, `set`, `delete`.
   */
  readonly action?: string;
  /** Everyday work that is no change of rights, members, keys, providers or settings: only refusals of it are recorded. */
  readonly audit?: false;
  /** Statuses other than the response's, beyond those that follow from access and request. */
  readonly errors?: readonly number[];
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
  /** Without a schema the answer has no body. */
  readonly response: {
    readonly status: number;
    readonly schema?: R;
    /** What the answer is, where it is not the record or the list that the route is about. */
    readonly description?: string;
  };
  readonly handler: (
    input: RouteInput<A, P, Q, B>,
    context: ApiContext,
  ) => Promise<R extends z.ZodType ? z.input<R> : void>;
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
    /** One event of the stream: its name and its data. */
    readonly schema: z.ZodType;
  };
  /** May throw until it has opened the reply. */
  readonly handler: (
    input: RouteInput<A, P, Q, B> & { readonly lastEventId: string | undefined },
    context: ApiContext,
    reply: SseReply,
  ) => Promise<void>;
}

/** A route as the router, the OpenAPI document and the derived tests read it. */
export interface Route {
  readonly method: 'get' | 'post' | 'patch' | 'put' | 'delete';
  readonly path: `/${string}`;
  readonly resource: ResourceKey;
  readonly access: Access;
  readonly tag: Tag;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly rejectsManaged?: true;
  readonly action?: string;
  readonly audit?: false;
  readonly errors?: readonly number[];
  readonly params?: z.ZodType | undefined;
  readonly query?: z.ZodType | undefined;
  readonly body?: z.ZodType | undefined;
  readonly response: {
    readonly status: number;
    readonly schema?: z.ZodType | undefined;
    readonly description?: string;
    readonly stream?: 'text/event-stream';
  };
  readonly handler: (input: never, context: ApiContext, reply: SseReply) => Promise<unknown>;
}

/** Declares a route that answers with JSON, or with nothing. */
export function defineRoute<
  const A extends Access,
  P extends Schema = undefined,
  Q extends Schema = undefined,
  B extends Schema = undefined,
  R extends Schema = undefined,
>(route: JsonRoute<A, P, Q, B, R>): Route {
  return route;
}

/** Declares a route that answers with a stream of server-sent events. */
export function defineStreamRoute<
  const A extends Access,
  P extends Schema = undefined,
  Q extends Schema = undefined,
  B extends Schema = undefined,
>(route: StreamRoute<A, P, Q, B>): Route {
  return route;
}

/** Returns whether the header `X-Org-Id` says which organization a request is about: the path says it for some routes. */
export function namesOrganization({ access }: Pick<Route, 'access'>): boolean {
  return typeof access === 'string' && access !== 'public' && access !== 'signed_in';
}
