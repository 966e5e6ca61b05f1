import type { IntegrationKindKey } from '../../../domain/integrations/kinds/index.ts';
import type { KnownIntegration, Secrets, Settings } from '../../../domain/integrations/integration-kind.ts';
import type { RunEffect } from '../tool.ts';

/** An integration with its secrets, which no result, log or message may contain. */
export interface OpenedIntegration extends KnownIntegration {
  readonly secrets: Secrets;
  /** The variables in which commands may find them, each with the name of its field; none unless given. */
  readonly commandVariables?: Readonly<Record<string, string>> | undefined;
  /** Returns a replacement for secrets that the service has rejected; absent where they cannot be renewed. */
  renew?(rejected: Secrets): Promise<Secrets>;
}

/** An integration as a call would use it now, without its secrets. */
export interface FoundIntegration extends KnownIntegration {
  readonly kind: IntegrationKindKey;
  /** Changes with its address, its credentials and all else of it but the name. */
  readonly connection: string;
}

/** Returns the integration that `OpenIntegration` would open. */
export type FindIntegration = (name: string) => Promise<FoundIntegration | undefined>;

/** Returns the integration that `OpenService` would open; throws like it. */
export type FindService = (kinds: readonly IntegrationKindKey[], name: string | undefined) => Promise<FoundIntegration>;

/** A request to the service of an integration, with its credentials. */
export interface ServiceRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined;
  /**
   * The name of the credential that is the whole address, to which no other credential goes; the path is empty then.
   */
  readonly to?: string | undefined;
  /** The name of another server of the service, below which the path lies and to which no credential goes by itself. */
  readonly at?: string | undefined;
  /** Below the address of the API, beginning with a slash; or a whole address below it, such as that of a next page. */
  readonly path: string;
  /** Left out where undefined; a list gives a parameter several times. */
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is, with the content type among the headers. */
  readonly body?: string | Uint8Array | undefined;
  /** One that reads, or has a key, is sent again where that may help; `once` never. */
  readonly effect: RunEffect;
  /** 30 seconds unless given. */
  readonly timeoutMs?: number | undefined;
  /** 4 MiB unless given; a larger answer is a failure. */
  readonly maxBytes?: number | undefined;
  /** Statuses from 400 on that the tool handles itself; others are failures. */
  readonly accepts?: readonly number[] | undefined;
  /**
   * Set for what takes something away: when it is sent again, 404 and 410 are accepted, because it is gone as was
   * wanted.
   */
  readonly goneIsDone?: boolean | undefined;
}

type QueryValue = string | number | boolean;

/** The answer of a service, in which its secrets are masked. */
export interface ServiceAnswer {
  readonly status: number;
  /** That of the request: what cannot be read after a write leaves it open whether that was made. */
  readonly effect: RunEffect;
  /** Keyed by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  /** The body as it came; it may contain secrets, so it is for files only, and `text` for all else. */
  readonly bytes: Buffer;
  readonly text: string;
  /** Returns the body as JSON; throws `ToolFailure` when it is none. */
  json(): unknown;
}

/** The service of an integration, to which requests go with its credentials. */
export interface Service<K extends IntegrationKindKey = IntegrationKindKey> {
  readonly kind: K;
  /** The name of the integration. */
  readonly name: string;
  readonly apiUrl: string;
  readonly settings: Settings;
  /** For what a request cannot express; no result, log or message may contain them. */
  readonly secrets: Secrets;
  /** Masks the secrets in a text that the service may have repeated them in. */
  mask(text: string): string;
  /** Records in the integration that it was used; with words for people when its credentials were rejected. */
  noteUse(rejection: string | null): Promise<void>;
  /** Sends a request. Throws `ToolFailure` with the words of the service, without its secrets. */
  request(request: ServiceRequest): Promise<ServiceAnswer>;
}

/**
 * Opens the organization's integration that is of one of these kinds, by its name where there are several. Throws
 * `ToolFailure` when there is none, or none was named of several.
 */
export type OpenService = <K extends IntegrationKindKey>(
  kinds: readonly K[],
  name: string | undefined,
) => Promise<Service<K>>;

/** Returns the organization's integration of this name; undefined when there is none. */
export type OpenIntegration = (name: string) => Promise<OpenedIntegration | undefined>;

/** Returns the oldest integration of the organization that is of one of these kinds; undefined when there is none. */
export type OpenIntegrationOfKind = (
  kinds: readonly IntegrationKindKey[],
) => Promise<(OpenedIntegration & { readonly kind: IntegrationKindKey }) | undefined>;
