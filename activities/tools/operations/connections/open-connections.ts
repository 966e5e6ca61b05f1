import { integrationKind, type SignInKindKey } from '../../../../domain/integrations/kinds/index.ts';
import type { Service } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { type Account, type Connections, type Reach, RejectedCredentials } from './connections.ts';
import { openCluster, signInToKubernetes } from './kubernetes.ts';
import { inMailbox, signInToImap } from './imap.ts';
import { sendMail, signInToSmtp } from './send-mail.ts';
import { runOnRedis, signInToRedis } from './redis.ts';
import { openRemoteAgent, signInToRemoteAgent } from './remote-agent.ts';
import { inObjects, signInToS3 } from './s3/s3.ts';
import { signInToMysql } from './sql/mysql.ts';
import { signInToPostgres } from './sql/postgres.ts';
import { runSql } from './sql/run-sql.ts';

/** Returns how a call reaches what takes more than plain requests of HTTP. */
export function connectionsOf(reach: Reach): Connections {
  return {
    runSql: async (service, statement) => {
      const answer = await noting(service, async () => runSql(service, statement, reach));
      const rows = answer.rows.map((row) => row.map((value) => maskTexts(value, service.mask)));
      return { ...answer, columns: answer.columns.map((name) => service.mask(name)), rows };
    },
    runRedis: async (service, command) =>
      maskTexts(await noting(service, async () => runOnRedis(service, command, reach)), service.mask),
    sendMail: async (service, mail) => noting(service, async () => sendMail(service, mail, reach)),
    inMailbox: async (service, work) => noting(service, async () => inMailbox(service, work, reach)),
    openCluster: (service, options) => openCluster(service, options, reach),
    openAgent: async (service, connection) => {
      const agent = await noting(service, async () => openRemoteAgent(service, reach, connection));
      return {
        send: async (message) => noting(service, async () => agent.send(message)),
        poll: async (taskId) => noting(service, async () => agent.poll(taskId)),
        cancel: async (taskId) => noting(service, async () => agent.cancel(taskId)),
      };
    },
    inObjects: async (service, work) => noting(service, async () => inObjects(service, work, reach)),
  };
}

/** Does work with an integration, and notes with it that it was used, or that its credentials were rejected. */
async function noting<T>(service: Service, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    await service.noteUse(null);
    return result;
  } catch (error) {
    if (error instanceof RejectedCredentials) await service.noteUse(error.message);
    throw error;
  }
}

/** Returns a JSON value in which every text is masked, names of members included. */
function maskTexts(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((each) => maskTexts(each, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [mask(name), maskTexts(each, mask)]));
}

type SignIn = (account: Account, reach: Reach) => Promise<void>;

const WAYS: Readonly<Record<SignInKindKey, SignIn>> = {
  postgres: signInToPostgres,
  mysql: signInToMysql,
  redis: signInToRedis,
  smtp: signInToSmtp,
  imap: signInToImap,
  kubernetes: signInToKubernetes,
  s3: signInToS3,
  a2a: signInToRemoteAgent,
};

/**
 * Signs in with an integration of a kind that a plain request of HTTP does not test. Returns why that was not
 * possible, in words that quote nothing of the other side; null when it was.
 */
export async function signIn(account: Account<SignInKindKey>, reach: Reach): Promise<string | null> {
  try {
    await WAYS[account.kind](account, reach);
    return null;
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return error.isForeign ? `${integrationKind(account.kind).name} has refused the sign-in` : error.message;
  }
}
