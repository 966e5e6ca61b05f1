import { AppError } from '../../domain/core/app-error.ts';
import { hostNameOf } from '../../domain/network/index.ts';
import type { ApiContext } from '../context/api-context.ts';

/**
 * Throws for a page that is neither this service's nor one that its operator lets read: the protocol asks servers to
 * look at `Origin`. Programs send none.
 */
export function checkOrigin(
  header: (name: string) => string | undefined,
  { corsOrigins, hostNames }: Pick<ApiContext, 'corsOrigins' | 'hostNames'>,
): void {
  const origin = header('origin');
  if (origin === undefined || corsOrigins.has(origin)) return;
  const name = hostNameOf(URL.parse(origin)?.host ?? '');
  if (name !== undefined && (hostNames.has(name) || name === hostNameOf(header('host') ?? ''))) return;
  throw new AppError(
    'forbidden',
    'Pages of this origin may not speak to this server; its operator can allow CORS_ORIGINS',
  );
}
