import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
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
import { findReportersTo, type Reporters } from '../../db/destinations/run-reports.ts';
import { requireRoom } from '../../db/orgs/require-room.ts';
import { present, toFields } from '../../domain/core/record-names.ts';
import { requireMayRedirect } from '../../domain/permissions/restrict.ts';
import { requireVersion } from '../../domain/resources.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { rejectInUse } from '../resources/reject-in-use.ts';
import { deliveryRoutes } from './deliveries.ts';
import { downloadReportFileRoute } from './download-file.ts';
import {
  deletionQuery,
  destinationChangesSchema,
  destinationSchema,
  destinationTestSchema,
  newDestinationSchema,
} from './schema.ts';
import { runDeliveryRoutes } from './run-deliveries.ts';
import { chatDeliveryRoutes } from './turn-deliveries.ts';
import { getIntegration } from '../../db/integrations/integrations.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { configIssue, integrationOf } from '../../domain/destinations.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { fieldIssue } from '../http/problem.ts';
import { webhooksOf } from '../../db/webhooks/set-webhook.ts';
import { runProbe } from '../context/run-probe.ts';

const view = { resource: 'destinations', access: 'integrations.view', tag: 'Destinations' } as const;
const manage = { resource: 'destinations', access: 'integrations.manage', tag: 'Destinations' } as const;

export const destinationRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/destinations',
    operationId: 'listDestinations',
    summary: 'List the destinations of the organization',
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
    summary: 'Get a destination',
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
      'Nothing is sent to it until it is tested or a report is delivered. A destination of the kind `webhook` also requires `webhooks.manage`.',
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
      '`config` replaces the whole stored one. A destination that was paused by failures resumes when its `config`, `integration_id` or `secret` changes, or when `is_active` is set.',
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
    summary: 'Delete a destination permanently, with its deliveries; 409 while anything reports to it',
    query: deletionQuery,
    errors: [409],
    response: { status: 204 },
    handler: async ({ caller, params: { destination_id: id }, query: { force }, expectedVersions }, { database }) => {
      await withOrgTransaction(database, caller.orgId, async (em) => {
        const destination = await lockDestination(em, id);
        requireMayRedirect(caller, destination, 'destination');
        requireVersion(destination, expectedVersions);
        if (!force) {
          const { workflows, schedules, chats } = await findReportersTo(em, id);
          rejectInUse(workflows, refusalOf(destination, 'workflows'));
          rejectInUse(schedules, refusalOf(destination, 'schedules'));
          rejectInUse(chats, refusalOf(destination, 'chats'));
        }
        await deleteDestination(em, id);
      });
    },
  }),
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/destinations/{destination_id}/test',
    action: 'test',
    operationId: 'testDestination',
    summary: 'Send a test message immediately, and return whether it was accepted or what went wrong',
    description:
      'Works for inactive destinations too. The result is stored in the destination: `checked_at` and `error`.',
    errors: [503],
    response: { status: 200, schema: destinationTestSchema },
    // The api itself reaches no service: a short workflow sends it.
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
      return { ok, latency_ms: latencyMs, error: error ?? (ok ? null : 'The destination was changed in the meantime') };
    },
  }),
  ...deliveryRoutes,
  downloadReportFileRoute,
  ...chatDeliveryRoutes,
  ...runDeliveryRoutes,
];

function refusalOf({ name }: Destination, by: keyof Reporters) {
  return {
    refused: `The destination "${name}" cannot be deleted`,
    by,
    advice:
      'Remove it from their deliveries first, or delete it with force=true: then nothing is reported to it any more.',
  } as const;
}

type Setup = Pick<Destination, 'kind' | 'config' | 'integrationId'> & { readonly secret?: string | null | undefined };

/** Rejects a destination that could not be used, or whose address the caller may not set. */
async function checkDestination(
  em: EntityManager,
  { policy }: Pick<OrgCaller, 'policy'>,
  { kind, config, integrationId, secret }: Setup,
  { privateHosts }: Pick<ApiContext, 'privateHosts'>,
): Promise<void> {
  const integration = integrationId === null ? null : await getIntegration(em, integrationId);
  const issue = configIssue(kind, config, privateHosts);
  if (issue !== undefined) throw fieldIssue(['config', issue.field], issue.words);
  const wanted = integrationOf(kind);
  if (integration === null && wanted !== null) throw fieldIssue('integration_id', `is required for the kind ${kind}`);
  if (integration !== null && integration.kind !== wanted)
    throw fieldIssue(
      'integration_id',
      `must be ${wanted === null ? 'null' : `of the kind ${wanted}`} for the kind ${kind}`,
    );
  if (secret != null && kind !== 'webhook') throw fieldIssue('secret', 'is for the kind webhook only');
  if (kind === 'webhook' && !policyAllows(policy, 'webhooks.manage'))
    throw new AppError('forbidden', 'A destination of the kind webhook needs the permission webhooks.manage');
}

/** Returns destinations as the API shows them, with the state that their targets are in. */
async function presentDestinations(
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
async function presentDestination(
  context: Pick<ApiContext, 'database'>,
  destination: Destination,
): Promise<z.input<typeof destinationSchema>> {
  const [shown] = await presentDestinations(context, destination.orgId, [destination]);
  if (shown === undefined) throw new Error('a destination was not shown');
  return shown;
}
