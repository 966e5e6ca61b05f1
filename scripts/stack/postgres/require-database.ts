import { firstSuccess } from '../core/first-success.ts';
import { StartFailure } from '../core/start-failure.ts';
import { withClient } from './with-client.ts';

/**
 * Resolves when the PostgreSQL of a given DATABASE_URL responds; otherwise fails with one sentence, which never holds
 * the password.
 */
export async function requireDatabase(url: string, signal?: AbortSignal): Promise<void> {
  const { hostname, port, pathname } = new URL(url);
  const reason = await firstSuccess(
    () => withClient(url, async (client) => void (await client.query('select 1'))),
    signal,
  );
  if (reason === undefined) return;
  throw new StartFailure(
    `DATABASE_URL: the PostgreSQL at ${hostname}:${port || '5432'}, database ${pathname.slice(1) || '(none)'}, cannot be used (${withoutSecrets(reason, url)}).`,
  );
}

function withoutSecrets(text: string, url: string): string {
  const { password } = new URL(url);
  return [password, decodeURIComponent(password)]
    .filter(Boolean)
    .reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}
