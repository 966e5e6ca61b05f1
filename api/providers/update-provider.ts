import { findCatalogEntry } from '../../builtin/index.ts';
import { withOrgTransaction } from '../../db/core/index.ts';
import { lockProviderAccount, updateProviderAccount } from '../../db/providers/index.ts';
import { toFields } from '../../domain/core/record-names.ts';
import { requireVersion } from '../../domain/resources/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { checkChangesCanWork } from './can-work.ts';
import { presentProvider } from './present-provider.ts';
import { checkBaseUrl, checkCredentialsComeAlong, checkMayManage, checkMayMove, checkMayShare } from './rules.ts';
import { providerChangesSchema, providerSchema } from './schema.ts';

/** Changes an account; credentials that are not given stay, unless the address changes. */
export const updateProviderRoute = defineRoute({
  method: 'patch',
  path: '/api/providers/{provider_id}',
  resource: 'providers',
  access: 'providers.manage',
  tag: 'Providers',
  operationId: 'updateProvider',
  summary: 'Change an account; new credentials or a new address make it active again',
  description:
    'A new `base_url` needs the credentials again: they are never sent to an address that their owner did not name with them.',
  params: idParams('provider_id'),
  body: providerChangesSchema,
  errors: [403],
  response: { status: 200, schema: providerSchema },
  handler: async ({ caller, params: { provider_id: id }, body, expectedVersions }, { database, box, privateHosts }) => {
    const account = await withOrgTransaction(database, caller.orgId, async (em) => {
      const found = await lockProviderAccount(em, id);
      checkMayManage(caller, found);
      requireVersion(found, expectedVersions);
      checkMayShare(caller, found.shared, body.shared);
      checkMayMove(caller, found, body.base_url);
      if (body.base_url !== undefined) checkBaseUrl(findCatalogEntry(found.providerType), body.base_url, privateHosts);
      checkCredentialsComeAlong(found, body);
      checkChangesCanWork(found, body);
      return updateProviderAccount(em, box, found, toFields(providerChangesSchema, body));
    });
    return presentProvider(account, box);
  },
});
