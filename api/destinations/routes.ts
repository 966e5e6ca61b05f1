import { withOrgTransaction } from '../../db/core/transactions.ts';
import {
  createDestination,
  deleteDestination,
  getDestination,
  listDestinations,
  lockDestination,
  updateDestination,
} from '../../db/destinations/destinations.ts';
import type { Destination } from '../../db/destinations/destination.entity.ts';
import { findReportersTo } from '../../db/destinations/run-reports.ts';
import { requireRoom } from '../../db/orgs/require-room.ts';
import type { NamedUsers } from '../../db/records/records.ts';
import { toFields } from '../../domain/core/record-names.ts';
import { requireMayRedirect } from '../../domain/permissions/restrict.ts';
import { requireVersion } from '../../domain/resources.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import { rejectInUse } from '../resources/reject-in-use.ts';
import { deliveryRoutes } from './deliveries.ts';
import { presentDestination, presentDestinations } from './present-destination.ts';
import { checkDestination } from './rules.ts';
import { deletionQuery, destinationChangesSchema, destinationSchema, newDestinationSchema } from './schema.ts';
import { runDeliveryRoutes } from './run-deliveries.ts';
import { testDestinationRoute } from './test-destination.ts';
import { chatDeliveryRoutes } from './turn-deliveries.ts';

const view = { resource: 'destinations', access: 'integrations.view', tag: 'Destinations' } as const;
const manage = { resource: 'destinations', access: 'integrations.manage', tag: 'Destinations' } as const;
const params = idParams('destination_id');

export const destinationRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/destinations',
    operationId: 'listDestinations',
    summary: 'The destinations of the organization',
    query: pageQuery,
    response: { status: 200, schema: destinationSchema.array() },
    handler: async ({ caller: { orgId }, query, answerPage }, context) =>
      presentDestinations(context, orgId, answerPage(await listDestinations(context.database, orgId, query))),
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/destinations/{destination_id}',
    operationId: 'getDestination',
    summary: 'One destination',
    params,
    response: { status: 200, schema: destinationSchema },
    handler: async ({ caller, params: { destination_id: id } }, context) =>
      presentDestination(
        context,
        await withOrgTransaction(context.database, caller.orgId, (em) => getDestination(em, id)),
      ),
  }),
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/destinations',
    operationId: 'createDestination',
    summary: 'Add a destination',
    description:
      'Nothing is sent to it before it is tested or something is delivered. One of the kind `webhook` needs `webhooks.manage`, too.',
    body: newDestinationSchema,
    errors: [404, 409],
    response: { status: 201, schema: destinationSchema },
    handler: async ({ caller, body }, context) => {
      const { database, box, orgLimits } = context;
      const { orgId, userId: ownerId } = caller;
      const fields = toFields(newDestinationSchema, body);
      const created = await withOrgTransaction(database, orgId, async (em) => {
        await checkDestination(em, caller, fields, context);
        await requireRoom(em, orgId, 'destinations', orgLimits);
        return createDestination(em, box, { ...fields, orgId, ownerId });
      });
      return presentDestination(context, created);
    },
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/destinations/{destination_id}',
    operationId: 'updateDestination',
    summary: 'Change a destination; only the given fields change',
    description:
      '`config` replaces the stored one as a whole. One that failures have paused resumes with another `config`, `integration_id` or `secret`, and with `is_active`.',
    params,
    body: destinationChangesSchema,
    errors: [409],
    response: { status: 200, schema: destinationSchema },
    handler: async ({ caller, params: { destination_id: id }, body, expectedVersions }, context) => {
      const { database, box } = context;
      const changes = toFields(destinationChangesSchema, body);
      const changed = await withOrgTransaction(database, caller.orgId, async (em) => {
        const destination = await lockDestination(em, id);
        requireMayRedirect(caller, destination, 'destination');
        requireVersion(destination, expectedVersions);
        if (['config', 'integrationId', 'secret'].some((name) => Object.hasOwn(changes, name))) {
          const { kind, config, integrationId } = destination;
          await checkDestination(em, caller, { kind, config, integrationId, ...changes }, context);
        }
        return updateDestination(em, box, { destination, userId: caller.userId }, changes);
      });
      return presentDestination(context, changed);
    },
  }),
  defineRoute({
    ...manage,
    method: 'delete',
    path: '/api/destinations/{destination_id}',
    operationId: 'deleteDestination',
    summary: 'Delete a destination permanently, with its deliveries; 409 while something is reported to it',
    params,
    query: deletionQuery,
    errors: [409],
    response: { status: 204 },
    handler: async ({ caller, params: { destination_id: id }, query: { force }, expectedVersions }, { database }) => {
      await withOrgTransaction(database, caller.orgId, async (em) => {
        const destination = await lockDestination(em, id);
        requireMayRedirect(caller, destination, 'destination');
        requireVersion(destination, expectedVersions);
        if (!force) {
          const reporters = await findReportersTo(em, id);
          rejectInUse(reporters, refusalOf(destination, reporters));
        }
        await deleteDestination(em, id);
      });
    },
  }),
  testDestinationRoute,
  ...deliveryRoutes,
  ...chatDeliveryRoutes,
  ...runDeliveryRoutes,
];

function refusalOf({ name }: Destination, { names }: NamedUsers) {
  return {
    refused: `The destination "${name}" cannot be deleted`,
    by: names.length === 0 ? 'chats' : 'workflows',
    advice:
      'Remove it from their deliveries first, or delete it with force=true: then nothing is reported to it any more.',
  } as const;
}
