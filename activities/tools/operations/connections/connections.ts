import type { Service } from '../../context.ts';
import type { OutgoingMail, SentMail } from './mail/mail.ts';
import type { Mailbox } from './mail/mailbox.ts';
import type { RedisCommand } from './redis/redis-commands.ts';
import type { SqlAnswer, SqlStatement } from './sql/sql-statement.ts';

/** An integration that is signed in with where no HTTP is spoken. */
export type Account = Pick<Service, 'kind' | 'name' | 'apiUrl' | 'settings' | 'secrets' | 'mask'>;

/**
 * What is reached with an integration and speaks no HTTP. Each call signs in anew and leaves no connection behind.
 * Throws `ToolFailure` in the words of the other side, without secrets.
 */
export interface Connections {
  /** Runs one statement; one that writes only where the integration allows that. */
  runSql(service: Service, statement: SqlStatement): Promise<SqlAnswer>;
  /** Runs one command; one that writes only where the integration allows that. Returns its reply as JSON has it. */
  runRedis(service: Service, command: RedisCommand): Promise<unknown>;
  sendMail(service: Service, mail: OutgoingMail): Promise<SentMail>;
  /** Does work in a mailbox. */
  inMailbox<T>(service: Service, work: (mailbox: Mailbox) => Promise<T>): Promise<T>;
}
