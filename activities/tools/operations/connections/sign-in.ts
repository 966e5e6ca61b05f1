import { integrationKind } from '../../../../domain/integrations/index.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { Account, Network } from './connections.ts';
import { signInToKubernetes } from './kubernetes/open-cluster.ts';
import { signInToImap } from './mail/imap.ts';
import { signInToSmtp } from './mail/send-mail.ts';
import { signInToRedis } from './redis/redis.ts';
import { signInToS3 } from './s3/s3.ts';
import { signInToMysql } from './sql/mysql.ts';
import { signInToPostgres } from './sql/postgres.ts';

type SignIn = (account: Account, network: Network, signal: AbortSignal) => Promise<void>;

const WAYS: ReadonlyMap<string, SignIn> = new Map<string, SignIn>([
  ['postgres', signInToPostgres],
  ['mysql', signInToMysql],
  ['redis', signInToRedis],
  ['smtp', signInToSmtp],
  ['imap', signInToImap],
  ['kubernetes', async (account, { http }, signal) => signInToKubernetes(account, http, signal)],
  ['s3', async (account, { http }, signal) => signInToS3(account, http, signal)],
]);

/**
 * Signs in with an integration of a kind that a plain request of HTTP does not test. Returns why that was not
 * possible, in words that quote nothing of the other side; null when it was.
 */
export async function signIn(account: Account, network: Network, signal: AbortSignal): Promise<string | null> {
  const way = WAYS.get(account.kind);
  if (way === undefined) throw new Error(`nothing signs in with integrations of the kind ${account.kind}`);
  try {
    await way(account, network, signal);
    return null;
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return error.isForeign ? `${integrationKind(account.kind).name} has refused the sign-in` : error.message;
  }
}
