import type { ProbeResult } from '../../workflows/short/contract.ts';
import { runShort } from '../../workflows/short/client.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { askThroughEngine } from './ask-through-engine.ts';

/** Makes one small call with an account. */
export async function probeAccount(context: ApiContext, caller: OrgCaller, accountId: string): Promise<ProbeResult> {
  const { orgId, userId } = caller;
  return askThroughEngine(context, caller, async (client) =>
    runShort(client, 'probeProvider', { orgId, accountId, userId }),
  );
}
