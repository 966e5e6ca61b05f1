import type { EntityManager } from '@mikro-orm/postgresql';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { findToolsOfIntegration } from '../../db/definitions/read-definitions.ts';
import {
  createIntegration,
  deleteIntegration,
  getIntegration,
  listIntegrations,
  lockIntegration,
  updateIntegration,
} from '../../db/integrations/integrations.ts';
import type { Integration } from '../../db/integrations/integration.entity.ts';
import { keepRevocation } from '../../db/integrations/revocations.ts';
import { requireRoom } from '../../db/orgs/require-room.ts';
import { toFields } from '../../domain/core/record-names.ts';
import { INTEGRATION_KIND_KEYS, integrationKind } from '../../domain/integrations/kinds/index.ts';
import { requireMayRedirect, shownBy } from '../../domain/permissions/restrict.ts';
import { requireVersion } from '../../domain/resources.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { runProbe } from '../context/run-probe.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { pageOf } from '../http/pages.ts';
import { rejectInUse } from '../resources/reject-in-use.ts';
import { startSignInRoute, viewSignInRoute } from './oauth/start-sign-in.ts';
import {
  deletionQuery,
  integrationChangesSchema,
  integrationKindSchema,
  integrationSchema,
  integrationsQuery,
  integrationTestSchema,
  newIntegrationSchema,
} from './schema.ts';
import { presentIntegration, presentKind } from './present-integration.ts';
import { checkChanges, checkNewIntegration } from './rules.ts';

const view = { resource: 'integrations', access: 'integrations.view', tag: 'Integrations' } as const;
const manage = { resource: 'integrations', access: 'integrations.manage', tag: 'Integrations' } as const;

/** Makes one small request with an integration. The api itself reaches no service: a short workflow makes it. */
const testIntegrationRoute = defineRoute({
  method: 'post',
  path: '/api/integrations/{integration_id}/test',
  resource: 'integrations',
  action: 'test',
  access: 'integrations.manage',
  tag: 'Integrations',
  operationId: 'testIntegration',
  summary: 'Test the credentials with one small request, and return whether they work or what went wrong',
  description:
    'The result is stored in the integration: `status`, `checked_at`, `error` and `account`. For the kind `http` without a `test_request`, only reachability is tested, without credentials.',
  errors: [503],
  response: { status: 200, description: 'The result of the request', schema: integrationTestSchema },
  handler: async ({ caller, params: { integration_id: integrationId } }, context) => {
    const { orgId, userId } = caller;
    const find = async () => withOrgTransaction(context.database, orgId, (em) => getIntegration(em, integrationId));
    await find();
    const { ok, latencyMs } = await runProbe(context, caller, {
      type: 'checkIntegration',
      input: { orgId, integrationId, userId },
      failure: 'The test could not be run now; try again shortly',
    });
    const { account, error } = await find();
    if (ok) return { ok, latency_ms: latencyMs, account, error: null };
    return { ok, latency_ms: latencyMs, account: null, error: error ?? 'The integration was changed in the meantime' };
  },
});

export const integrationRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/integrations',
    operationId: 'listIntegrations',
    summary: 'List the integrations of the organization',
    query: integrationsQuery,
    response: { status: 200, schema: integrationSchema.array() },
    handler: async ({ caller, query, answerPage }, { database, box }) =>
      answerPage(await listIntegrations(database, caller.orgId, query)).map((each) => presentIntegration(each, box)),
  }),
  defineRoute({
    ...view,
    resource: 'integration_kinds',
    method: 'get',
    path: '/api/integrations/kinds',
    operationId: 'listIntegrationKinds',
    summary: 'List the kinds of integrations, with the credentials that each needs',
    query: pageQuery,
    response: { status: 200, schema: integrationKindSchema.array() },
    handler: async ({ query, answerPage }, { publicUrl }) =>
      answerPage(pageOf(INTEGRATION_KIND_KEYS, query)).map((key) => presentKind(key, publicUrl)),
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/integrations/{integration_id}',
    operationId: 'getIntegration',
    summary: 'Get an integration',
    response: { status: 200, schema: integrationSchema },
    handler: async ({ caller, params: { integration_id: id } }, { database, box }) =>
      presentIntegration(await withOrgTransaction(database, caller.orgId, (em) => getIntegration(em, id)), box),
  }),
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/integrations',
    operationId: 'createIntegration',
    summary: 'Add an integration; its credentials are stored encrypted and never shown',
    description: 'No connection is made until it is tested or used.',
    body: newIntegrationSchema,
    errors: [409],
    response: { status: 201, schema: integrationSchema },
    handler: async ({ caller: { orgId, userId: ownerId }, body }, { database, box, privateHosts, orgLimits }) => {
      const given = toFields(newIntegrationSchema, body);
      const { secretPlaces = [...integrationKind(given.kind).secretPlaces] } = given;
      const fields = { ...given, secretPlaces };
      checkNewIntegration(fields, privateHosts);
      const created = await withOrgTransaction(database, orgId, async (em) => {
        await requireRoom(em, orgId, 'integrations', orgLimits);
        return createIntegration(em, box, { ...fields, orgId, ownerId });
      });
      return presentIntegration(created, box);
    },
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/integrations/{integration_id}',
    operationId: 'updateIntegration',
    summary: 'Change an integration; only the given fields change',
    description:
      '`credentials` replaces all stored credentials. A new `base_url` requires them again: they are never sent to an address that their owner did not enter with them. 409 for a new `name` while tools refer to the current one.',
    body: integrationChangesSchema,
    errors: [409],
    response: { status: 200, schema: integrationSchema },
    handler: async (
      { caller, params: { integration_id: id }, body, expectedVersions },
      { database, box, privateHosts },
    ) => {
      const changes = toFields(integrationChangesSchema, body);
      const changed = await withOrgTransaction(database, caller.orgId, async (em) => {
        const integration = await lockIntegration(em, id);
        requireMayRedirect(caller, integration, 'integration');
        requireVersion(integration, expectedVersions);
        checkChanges(integration, changes, privateHosts);
        if (changes.name !== undefined && changes.name.toLowerCase() !== integration.name.toLowerCase())
          await rejectNamed(em, caller, integration, 'be renamed');
        return updateIntegration(em, box, integration, changes);
      });
      return presentIntegration(changed, box);
    },
  }),
  defineRoute({
    ...manage,
    method: 'delete',
    path: '/api/integrations/{integration_id}',
    operationId: 'deleteIntegration',
    summary: 'Delete an integration permanently; 409 while tools refer to it',
    query: deletionQuery,
    errors: [409],
    response: { status: 204 },
    handler: async (
      { caller, params: { integration_id: id }, query: { force }, expectedVersions },
      { database, box },
    ) => {
      await withOrgTransaction(database, caller.orgId, async (em) => {
        const integration = await lockIntegration(em, id);
        requireMayRedirect(caller, integration, 'integration');
        requireVersion(integration, expectedVersions);
        if (!force) await rejectNamed(em, caller, integration, 'be deleted');
        await keepRevocation(em, box, integration);
        await deleteIntegration(em, id);
      });
    },
  }),
  testIntegrationRoute,
  startSignInRoute,
  viewSignInRoute,
];

const ADVICE = {
  'be renamed': 'Add another one under the new name, have them name that, and delete this one.',
  'be deleted': 'Have them name another one first, or delete it with force=true: they cannot be used then.',
} as const;

async function rejectNamed(
  em: EntityManager,
  { policy }: OrgCaller,
  integration: Integration,
  what: keyof typeof ADVICE,
): Promise<void> {
  const refused = `The integration "${integration.name}" cannot ${what}`;
  const tools = await findToolsOfIntegration(em, integration, shownBy(policy, 'tools'));
  rejectInUse(tools, { refused, by: 'tools', advice: ADVICE[what] });
}
