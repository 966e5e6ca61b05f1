import { integrationKind, type SignInKindKey } from '../../../../domain/integrations/index.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { Account, Reach } from './connections.ts';
import { signInToKubernetes } from './kubernetes/open-cluster.ts';
import { signInToImap } from './mail/imap.ts';
import { signInToSmtp } from './mail/send-mail.ts';
import { signInToRedis } from './redis/redis.ts';
import { signInToS3 } from './s3/s3.ts';
import { signInToMysql } from './sql/mysql.ts';
import { signInToPostgres } from './sql/postgres.ts';

type SignIn = (account: Account, reach: Reach) => Promise<void>;

const WAYS: Readonly<Record<SignInKindKey, SignIn>> = {
  postgres: signInToPostgres,
  mysql: signInToMysql,
  redis: signInToRedis,
  smtp: signInToSmtp,
  imap: signInToImap,
  kubernetes: signInToKubernetes,
  s3: signInToS3,
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
