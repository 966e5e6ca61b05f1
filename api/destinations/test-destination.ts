import { withOrgTransaction } from '../../db/core/transactions.ts';
import { getDestination } from '../../db/destinations/destinations.ts';
import { runProbe } from '../context/run-probe.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { destinationTestSchema } from './schema.ts';

/** Sends a test message. The api itself reaches no service: a short workflow sends it. */
export const testDestinationRoute = defineRoute({
  resource: 'destinations',
  access: 'integrations.manage',
  tag: 'Destinations',
  method: 'post',
  path: '/api/destinations/{destination_id}/test',
  action: 'test',
  operationId: 'testDestination',
  summary: 'Send a test message at once, and return whether it was accepted or what went wrong',
  description: 'Also to one that is not active. The destination keeps the result: `checked_at` and `error`.',
  params: idParams('destination_id'),
  errors: [503],
  response: { status: 200, schema: destinationTestSchema },
  handler: async ({ caller, params: { destination_id: destinationId } }, context) => {
    const { orgId, userId } = caller;
    const find = async () => withOrgTransaction(context.database, orgId, (em) => getDestination(em, destinationId));
    await find();
    const { ok, latencyMs } = await runProbe(context, caller, {
      type: 'testDestination',
      input: { orgId, destinationId, userId },
      failure: 'The test could not be run now; try again shortly',
    });
    const { error } = await find();
    return { ok, latency_ms: latencyMs, error: ok ? null : (error ?? 'The destination was changed meanwhile') };
  },
});
