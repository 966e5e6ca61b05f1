import { types } from 'node:util';
import { cut, toShowable } from '../../../../domain/core/text.ts';
import { integrationKind, type IntegrationKindKey } from '../../../../domain/integrations/kinds/index.ts';
import { readAddressPath } from '../../../../domain/integrations/address.ts';
import { hostOf, portOf } from '../../../../domain/network/host-names.ts';
import { BlockedAddressError, type GuardedSockets, type Trust } from '../../../core/network/guarded-connect.ts';
import { type GuardedHttp, networkErrorOf } from '../../../core/network/guarded-http.ts';
import type { Service } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { Cluster, ClusterOptions } from './kubernetes.ts';
import type { OutgoingMail, SentMail } from './send-mail.ts';
import type { Mailbox } from './imap.ts';
import type { RedisCommand } from './redis.ts';
import type { RemoteAgent } from './remote-agent.ts';
import type { ObjectStore } from './s3/object-store.ts';
import type { SqlAnswer, SqlKind, SqlStatement } from './sql/sql-statement.ts';

/** An integration that is signed in with where a plain request of HTTP does not do. */
export type Account<K extends IntegrationKindKey = IntegrationKindKey> = Pick<
  Service<K>,
  'kind' | 'name' | 'apiUrl' | 'settings' | 'secrets' | 'mask'
>;

/** How the other side is reached, and until when: what is under way ends with the signal. */
export interface Reach {
  readonly sockets: GuardedSockets;
  readonly http: GuardedHttp;
  readonly signal: AbortSignal;
}

/**
 * Access to an integration by protocols other than HTTP. Each call signs in again and leaves no connection of its own
 * behind. Throws `ToolFailure` in the words of the other side, without secrets.
 */
export interface Connections {
  /** Runs one statement; one that writes only where the integration allows that. */
  runSql(service: Service<SqlKind>, statement: SqlStatement): Promise<SqlAnswer>;
  /** Runs one command; one that writes only where the integration allows that. Returns its reply as JSON has it. */
  runRedis(service: Service, command: RedisCommand): Promise<unknown>;
  sendMail(service: Service, mail: OutgoingMail): Promise<SentMail>;
  /** Does work in a mailbox. */
  inMailbox<T>(service: Service, work: (mailbox: Mailbox) => Promise<T>): Promise<T>;
  /** Does work in a store of objects. */
  inObjects<T>(service: Service, work: (store: ObjectStore) => Promise<T>): Promise<T>;
  /** Opens a cluster by a context of the integration's kubeconfig, where it has one. */
  openCluster(service: Service, options: ClusterOptions): Cluster;
  /** Opens an agent of another platform, by a card that was read lately with the same connection where there is one. */
  openAgent(service: Service, connection: string): Promise<RemoteAgent>;
}

const MAX_WORDS = 500;

/** The other side has rejected the credentials of an integration. The message can be shown to people. */
export class RejectedCredentials extends ToolFailure {
  constructor(service: string, options?: ErrorOptions) {
    super('denied', `${service} has rejected the credentials: somebody must check the integration`, options);
  }
}

/** Returns what the other side says as it may be shown: one line without secrets. */
export function saidBy({ mask }: Pick<Account, 'mask'>, error: unknown): string {
  return cut(toShowable(mask(types.isNativeError(error) ? error.message : String(error))), MAX_WORDS);
}

/** Converts an error of a connection to a failure; `isUncertain` where the request may have been executed. */
export function connectionFailure(
  error: unknown,
  account: Pick<Account, 'mask'>,
  { service, isUncertain = false }: { readonly service: string; readonly isUncertain?: boolean },
): ToolFailure {
  for (let cause = error; types.isNativeError(cause); cause = cause.cause) {
    if (cause instanceof ToolFailure) return cause;
    if (cause instanceof BlockedAddressError) return new ToolFailure('denied', cause.message, { cause: error });
    const network = networkErrorOf(cause);
    if (network === undefined) continue;
    return new ToolFailure(network.isTimeout ? 'timeout' : 'upstream', `${service} is not reached: ${network.words}`, {
      cause: error,
      isUncertain: isUncertain && !network.isUnsent,
    });
  }
  const message = `The connection to ${service} failed: ${saidBy(account, error)}`;
  return new ToolFailure('upstream', message, { cause: error, isUncertain, isForeign: true });
}

/** Where an integration is connected to. */
export interface Endpoint {
  /** The name of what is there, for people. */
  readonly service: string;
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** The path after the host, without slashes around it. */
  readonly path: string;
  readonly user: string;
  readonly password: string;
  /** How its certificate is judged; undefined where nothing is encrypted. */
  readonly tls: Trust | undefined;
  /** Whether it is encrypted from the first byte, as the scheme says; it begins in the open otherwise. */
  readonly isEncryptedAtOnce: boolean;
}

const ENCRYPTED_AT_ONCE: ReadonlySet<string> = new Set(['rediss:', 'smtps:', 'imaps:']);

/** Returns where an integration is connected to. */
export function endpointOf({ kind, name, apiUrl, settings, secrets }: Account): Endpoint {
  const url = URL.parse(apiUrl);
  if (url === null) throw new ToolFailure('invalid_input', `The address of the integration ${name} is no address`);
  const rules = integrationKind(kind);
  const read = readAddressPath(rules, url);
  if ('issue' in read) throw new ToolFailure('invalid_input', `The address of the integration ${name} ${read.issue}`);
  const isEncryptedAtOnce = ENCRYPTED_AT_ONCE.has(url.protocol);
  const isOpen = !isEncryptedAtOnce && (settings['tls'] === 'off' || url.protocol === 'redis:');
  return {
    service: rules.name,
    host: hostOf(url),
    port: portOf(url),
    path: read.path,
    user: secrets['user'] ?? '',
    password: secrets['password'] ?? '',
    tls: isOpen ? undefined : { ca: secrets['ca'] },
    isEncryptedAtOnce,
  };
}

/** Refuses what would change something unless the integration allows it. */
export function requireWrites({ name, settings }: Pick<Account, 'name' | 'settings'>): void {
  if (settings['allow_writes'] === 'yes') return;
  throw new ToolFailure('denied', `The integration ${name} allows no writes: somebody can set allow_writes to yes`);
}
