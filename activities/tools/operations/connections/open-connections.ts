import type { Service } from '../../context.ts';
import { RejectedCredentials } from './connection-failure.ts';
import type { Connections, Reach } from './connections.ts';
import { openCluster } from './kubernetes/open-cluster.ts';
import { inMailbox } from './mail/imap.ts';
import { sendMail } from './mail/send-mail.ts';
import { runOnRedis } from './redis/redis.ts';
import { inObjects } from './s3/s3.ts';
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
