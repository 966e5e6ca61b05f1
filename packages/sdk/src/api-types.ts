import type { components, paths } from './openapi.ts';

/** The records and bodies of the API, by the names that its document gives them. */
export type Schemas = components['schemas'];

/** A method of HTTP. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type OperationAt<P extends keyof paths, M extends Method> = paths[P][Lowercase<M> & keyof paths[P]];

/** The paths of the API that take a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: OperationAt<P, M> extends { responses: unknown } ? P : never;
}[keyof paths];

/** What the document declares of a path and a method. */
export type Operation<M extends Method, P extends PathOf<M>> = OperationAt<P, M>;

type Parameters<O, In extends string> = O extends { parameters: { [I in In]?: infer T } } ? NonNullable<T> : never;

/** An option with parameters: left out when there are none, optional when none of them is required. */
type Option<Name extends string, T> = [T] extends [never]
  ? { readonly [N in Name]?: undefined }
  : Partial<T> extends T
    ? { readonly [N in Name]?: T | undefined }
    : { readonly [N in Name]: T };

type ContentOf<T> = [NonNullable<T>] extends [{ content: infer C }] ? C : never;
// A file is sent as a form with one part, `file`, or in some places as it is.
type BodyIn<C> = [C] extends [never] ? never : C extends { 'application/json': infer T } ? T : FormData | Blob;
type Body<O> = O extends { requestBody?: infer R }
  ? [NonNullable<R>] extends [never]
    ? never
    : BodyIn<ContentOf<R>>
  : never;
type BodyOption<O> = O extends { requestBody: object }
  ? { readonly body: Body<O> }
  : { readonly body?: [Body<O>] extends [never] ? undefined : Body<O> | undefined };

/** What every call takes. */
export interface CallOptions {
  /** Ends the call: it throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for the answer, in milliseconds; as the client says unless given. */
  readonly timeoutMs?: number | undefined;
  /** How often to try again; as the client says unless given. */
  readonly maxRetries?: number | undefined;
}

/** What a request takes: the parameters and the body that the document declares, and what every call does. */
export type RequestOptions<O> = CallOptions &
  Option<'path', Parameters<O, 'path'>> &
  Option<'query', Parameters<O, 'query'>> &
  Option<'headers', Parameters<O, 'header'>> &
  BodyOption<O>;

/** The options of a request as the last argument, which may be left out when nothing is required. */
export type OptionsArgument<O> =
  Partial<RequestOptions<O>> extends RequestOptions<O> ? [options?: RequestOptions<O>] : [options: RequestOptions<O>];

type SuccessOf<O> = O extends { responses: infer R } ? R[keyof R & (200 | 201 | 202 | 204)] : never;

/** What a request is answered with: the record, or `undefined` where there is no body. */
export type Answer<O> =
  SuccessOf<O> extends infer R ? (R extends { content: { 'application/json': infer T } } ? T : undefined) : never;

/** The paths of lists, which are read page by page. */
export type ListPath = {
  [P in PathOf<'GET'>]: Answer<Operation<'GET', P>> extends readonly unknown[]
    ? Operation<'GET', P> extends { parameters: { query?: { offset?: unknown } } }
      ? P
      : never
    : never;
}[PathOf<'GET'>];

/** An item of a list. */
export type Item<P extends ListPath> = Answer<Operation<'GET', P>> extends readonly (infer T)[] ? T : never;

/** The paths whose POST takes an `Idempotency-Key`. */
export type KeyedPath = {
  [P in PathOf<'POST'>]: Operation<'POST', P> extends { parameters: { header?: infer H } }
    ? 'Idempotency-Key' extends keyof H | keyof NonNullable<H>
      ? [NonNullable<H>] extends [never]
        ? never
        : P
      : never
    : never;
}[PathOf<'POST'>];
