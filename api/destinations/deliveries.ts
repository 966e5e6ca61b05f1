import { withOrgTransaction } from '../../db/core/transactions.ts';
import { getDestination } from '../../db/destinations/destinations.ts';
import { listDeliveries } from '../../db/webhooks/deliveries.ts';
import { resendTo } from '../../db/webhooks/run-deliveries.ts';
import { present, presenter } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';
import { deliveriesQuery, deliverySchema } from '../webhooks/schema.ts';

const ofDestination = { resource: 'destinations', tag: 'Destinations' } as const;

export const deliveryRoutes = [
  defineRoute({
    ...ofDestination,
    access: 'integrations.view',
    method: 'get',
    path: '/api/destinations/{destination_id}/deliveries',
    action: 'deliveries',
    operationId: 'listDestinationDeliveries',
    summary: 'List the sent and queued reports of a destination, newest first',
    description: 'Without their content, which is part of the run and requires access to it.',
    query: deliveriesQuery,
    response: { status: 200, schema: deliverySchema.array() },
    handler: async ({ caller: { orgId }, params: { destination_id: id }, query, answerPage }, { database }) => {
      await withOrgTransaction(database, orgId, async (em) => getDestination(em, id));
      const found = await listDeliveries(database, { orgId, kind: 'destination', id }, query);
      return answerPage(found).map(presenter(deliverySchema));
    },
  }),
  defineRoute({
    ...ofDestination,
    access: 'integrations.manage',
    method: 'post',
    path: '/api/destinations/{destination_id}/deliveries/{delivery_id}/resend',
    action: 'resend',
    operationId: 'resendToDestination',
    summary: 'Resend a report to a destination immediately',
    description:
      'The report is sent in your name. If failures have paused the destination, it resumes with all queued reports. 409 when a person has paused it.',
    errors: [409],
    response: { status: 202, schema: deliverySchema },
    handler: async ({ caller, params }, { database }) => {
      const { destination_id: destinationId, delivery_id: deliveryId } = params;
      const { orgId, userId } = caller;
      return present(deliverySchema, await resendTo(database, { orgId, userId, destinationId }, deliveryId));
    },
  }),
];
