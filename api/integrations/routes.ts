import { withOrgTransaction } from '../../db/core/index.ts';
import {
  createIntegration,
  deleteIntegration,
  getIntegration,
  listIntegrations,
  lockIntegration,
  updateIntegration,
} from '../../db/integrations/index.ts';
import { requireRoom } from '../../db/orgs/index.ts';
import { INTEGRATION_KIND_KEYS, integrationKind } from '../../domain/integrations/index.ts';
import { toFields } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { pageOf } from '../http/pages.ts';
import { idParams } from '../resources/id-fields.ts';
import { presentIntegration, presentKind } from './present-integration.ts';
import { checkChanges, checkNewIntegration } from './rules.ts';
import { integrationChangesSchema, integrationKindSchema, integrationSchema, newIntegrationSchema } from './schema.ts';
import { testIntegrationRoute } from './test-integration.ts';

const view = { resource: 'integrations', access: 'integrations.view', tag: 'Integrations' } as const;
const manage = { resource: 'integrations', access: 'integrations.manage', tag: 'Integrations' } as const;
const params = idParams('integration_id');

export const integrationRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/integrations',
    operationId: 'listIntegrations',
    summary: 'The integrations of the organization',
    query: pageQuery,
    response: { status: 200, schema: integrationSchema.array() },
    handler: async ({ caller, query, answerPage }, { database }) =>
      answerPage(await listIntegrations(database, caller.orgId, query)).map(presentIntegration),
  }),
  defineRoute({
    ...view,
    resource: 'integration_kinds',
    method: 'get',
    path: '/api/integrations/kinds',
    operationId: 'listIntegrationKinds',
    summary: 'The kinds of integrations, and the credentials that each needs',
    query: pageQuery,
    response: { status: 200, schema: integrationKindSchema.array() },
    handler: async ({ query, answerPage }) => answerPage(pageOf(INTEGRATION_KIND_KEYS, query)).map(presentKind),
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/integrations/{integration_id}',
    operationId: 'getIntegration',
    summary: 'One integration',
    params,
    response: { status: 200, schema: integrationSchema },
    handler: async ({ caller, params: { integration_id: id } }, { database }) =>
      presentIntegration(await withOrgTransaction(database, caller.orgId, (em) => getIntegration(em, id))),
  }),
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/integrations',
    operationId: 'createIntegration',
    summary: 'Add an integration; its credentials are stored encrypted and never shown',
    description: 'Nothing is connected to before it is tested or used.',
    body: newIntegrationSchema,
    errors: [409],
    response: { status: 201, schema: integrationSchema },
    handler: async ({ caller: { orgId }, body }, { database, box, privateHosts, orgLimits }) => {
      const given = toFields(newIntegrationSchema, body);
      const { secretPlaces = [...integrationKind(given.kind).secretPlaces] } = given;
      const fields = { ...given, secretPlaces };
      checkNewIntegration(fields, privateHosts);
      const created = await withOrgTransaction(database, orgId, async (em) => {
        await requireRoom(em, orgId, 'integrations', orgLimits);
        return createIntegration(em, box, { ...fields, orgId });
      });
      return presentIntegration(created);
    },
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/integrations/{integration_id}',
    operationId: 'updateIntegration',
    summary: 'Change an integration; only the given fields change',
    description:
      '`credentials` replaces the stored ones as a whole. A new `base_url` needs them again: they are never sent to an address that their owner did not name with them.',
    params,
    body: integrationChangesSchema,
    errors: [409],
    response: { status: 200, schema: integrationSchema },
    handler: async ({ caller, params: { integration_id: id }, body }, { database, box, privateHosts }) => {
      const changes = toFields(integrationChangesSchema, body);
      const changed = await withOrgTransaction(database, caller.orgId, async (em) => {
        const integration = await lockIntegration(em, id);
        checkChanges(integration, changes, privateHosts);
        return updateIntegration(em, box, integration, changes);
      });
      return presentIntegration(changed);
    },
  }),
  defineRoute({
    ...manage,
    method: 'delete',
    path: '/api/integrations/{integration_id}',
    operationId: 'deleteIntegration',
    summary: 'Delete an integration permanently; custom tools that name it cannot be used from then on, and say so',
    params,
    response: { status: 204 },
    handler: async ({ caller, params: { integration_id: id } }, { database }) => {
      await withOrgTransaction(database, caller.orgId, (em) => deleteIntegration(em, id));
    },
  }),
  testIntegrationRoute,
];
