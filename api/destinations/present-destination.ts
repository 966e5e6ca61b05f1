import type { z } from 'zod';
import type { Destination } from '../../db/destinations/destination.entity.ts';
import { webhooksOf } from '../../db/webhooks/set-webhook.ts';
import { present } from '../../domain/core/record-names.ts';
import type { ApiContext } from '../context/api-context.ts';
import { destinationSchema } from './schema.ts';

/** Returns destinations as the API shows them, with the state that their targets are in. */
export async function presentDestinations(
  { database }: Pick<ApiContext, 'database'>,
  orgId: string,
  destinations: readonly Destination[],
): Promise<z.input<typeof destinationSchema>[]> {
  const ids = destinations.map(({ id }) => id);
  const targets = await webhooksOf(database, orgId, 'destination', ids);
  return destinations.map((each) => {
    const target = targets.get(each.id);
    return present(destinationSchema, each, {
      hasSecret: target?.hasSecret ?? false,
      isActive: target?.status === 'active',
      pausedReason: target?.pauseReason ?? null,
    });
  });
}

/** Returns a destination as the API shows it. */
export async function presentDestination(
  context: Pick<ApiContext, 'database'>,
  destination: Destination,
): Promise<z.input<typeof destinationSchema>> {
  const [shown] = await presentDestinations(context, destination.orgId, [destination]);
  if (shown === undefined) throw new Error('a destination was not shown');
  return shown;
}
