import type { IntegrationKindKey } from '../../../../domain/integrations/index.ts';
import type { GuardedSockets } from '../../../core/network/guarded-connect.ts';
import type { GuardedHttp } from '../../../core/network/guarded-http.ts';
import type { Service } from '../../context.ts';
import type { OutgoingMail, SentMail } from './mail/mail.ts';
import type { Mailbox } from './mail/mailbox.ts';
import type { Cluster, ClusterOptions } from './kubernetes/cluster.ts';
import type { RedisCommand } from './redis/redis-commands.ts';
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
 * What is reached with an integration by more than plain requests of HTTP. Each call signs in anew and leaves no
 * connection of its own behind.
 * Throws `ToolFailure` in the words of the other side, without secrets.
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
}
