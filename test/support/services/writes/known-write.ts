import type { IntegrationKindKey } from '../../../../domain/integrations/kinds/index.ts';
import type { Secrets, Settings } from '../../../../domain/integrations/integration-kind.ts';
import type { SeenRequest } from '../../outside-server.ts';

/** A write of a builtin tool, as its service sees it. */
export interface KnownWrite {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What is declared of it. */
  readonly effect: 'keyed' | 'once';
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path of the request, below the address of the API, as far as it tells the write from others. */
  readonly path: string;
  /** What the service answers; nothing at all unless given. */
  readonly answer?: unknown;
  /** What says to the service that two requests are the same, where that is not the request itself. */
  readonly keyOf?: (request: SeenRequest) => unknown;
  /** A text in the body that tells it from requests that read, where they have the same path. */
  readonly mark?: string;
  /** What the service answers when it is asked again for what it has done: the same unless given. */
  readonly again?: { readonly status: number; readonly answer: unknown };
  /** What the service answers to requests that read, by method and path, once it is done. */
  readonly readsAfter?: (request: SeenRequest) => Readonly<Record<string, unknown>>;
  /** Set where a repetition finds by reading that it is done, and asks for nothing more. */
  readonly isFoundByReading?: true;
}

/** The writes of tools that work with the services of one kind. */
export interface KnownWrites {
  readonly kind: IntegrationKindKey;
  readonly credentials: Secrets;
  readonly settings?: Settings;
  /** What the service answers to requests that read, by method and path. */
  readonly reads?: Readonly<Record<string, unknown>>;
  readonly writes: readonly KnownWrite[];
}

/** The credential of all of them. */
export const TOKEN = 'a-token-of-the-tests';

/** Returns a member of the JSON that a request carries, by the names that lead to it. */
export function memberOf({ body }: SeenRequest, ...names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name],
    JSON.parse(body),
  );
}
