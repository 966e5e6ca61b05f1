import { cancelCall } from '../../db/completions/index.ts';
import { requestInterrupt } from '../../db/turns/index.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { callDigestOf } from './call-digest.ts';
import type { RpcMessage } from './schema.ts';

/**
 * Interrupts the turn that a client has begun and cancels now, whichever process it waits at. What it does not know, or
 * has ended, changes nothing.
 */
export async function interruptCall(
  context: ApiContext,
  caller: OrgCaller,
  session: string | undefined,
  { params }: RpcMessage,
): Promise<void> {
  const digest = callDigestOf(session, params?.['requestId']);
  const begun = digest && (await cancelCall(context.database, caller, digest));
  if (begun !== undefined) await requestInterrupt(context.database, caller, begun.chatId, begun.turnId);
}
