import type { RevokeGrantInput } from '../../../workflows/integrations/contract.ts';
import { startGrantRevocation } from '../../../workflows/integrations/client.ts';
import type { ApiContext } from '../../context/api-context.ts';

/** Has the service of a deleted integration told of its end; the answer to the request does not wait for it. */
export function revokeLater({ temporal, log }: ApiContext, grant: RevokeGrantInput): void {
  startGrantRevocation(temporal, grant).catch((error: unknown) => {
    log.warn({ err: error }, 'the revocation of a grant could not be started');
  });
}
