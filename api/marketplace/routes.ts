import { listDestinationKinds } from '../../db/destinations/destinations.ts';
import { type ComparedRecord, compareItem, installItem, ItemWasEdited } from '../../db/marketplace/install-item.ts';
import { listInstalls } from '../../db/marketplace/installs.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { type MarketplaceItem, needsOf } from '../../domain/marketplace.ts';
import type { PermissionKey } from '../../domain/permissions/keys.ts';
import { permits } from '../../domain/permissions/policy.ts';
import { type AllowlistName, resourceOf } from '../../domain/resources.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { differencesOf, editedConflict, findItem, installedOf, listItems, partsOf } from './catalog.ts';
import { shippedId } from '../../builtin/index.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { present } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';
import {
  differencesSchema,
  installationSchema,
  installQuery,
  itemDetailsSchema,
  itemParams,
  itemSchema,
  itemsQuery,
} from './schema.ts';

const RESOURCE_OF = { agent: 'agents', tool: 'tools', skill: 'skills', persona: 'personas' } as const;

/** Rejects an installation by a caller who may not add its records one by one: installing grants nothing. */
function checkMayInstall({ policy }: OrgCaller, item: MarketplaceItem): void {
  for (const { kind, key } of partsOf(item)) {
    const { area, allowlist } = resourceOf(RESOURCE_OF[kind]);
    const right = `${area ?? ''}.manage` as PermissionKey;
    if (!policy.keys.has(right)) throw forbidden(`You need ${right} to install the ${kind} "${key}"`);
    if (allowlist === undefined || policy.allowlists[allowlist.name as AllowlistName] === 'all') continue;
    if (allowlist.entryKind === 'ids' || !permits(policy, allowlist.name as AllowlistName, key))
      throw forbidden(
        `Your permission groups allow certain ${allowlist.things} only, so you cannot install the ${kind} "${key}"`,
      );
  }
}

/** Returns whether a caller may see a record of the organization that an item would change. */
function maySeeRecord({ policy }: OrgCaller, { kind, key, id }: ComparedRecord): boolean {
  const { area, allowlist } = resourceOf(RESOURCE_OF[kind]);
  if (!policy.keys.has(`${area ?? ''}.view` as PermissionKey)) return false;
  return (
    allowlist === undefined ||
    permits(policy, allowlist.name as AllowlistName, allowlist.entryKind === 'ids' ? id : key)
  );
}

function forbidden(words: string): AppError {
  return new AppError('forbidden', words);
}

const head = { resource: 'marketplace', tag: 'Marketplace' } as const;

export const marketplaceRoutes = [
  defineRoute({
    ...head,
    access: 'marketplace.view',
    method: 'get',
    path: '/api/marketplace',
    operationId: 'listMarketplaceItems',
    summary: 'List the items that can be installed, with the installed versions',
    query: itemsQuery,
    response: { status: 200, schema: itemSchema.array() },
    handler: async ({ caller: { orgId }, query: { q, kind, tag, ...page }, answerPage }, context) => {
      const items = await listItems(context, orgId, { q, kind, tag, page });
      return answerPage(items).map((item) => present(itemSchema, item));
    },
  }),
  defineRoute({
    ...head,
    access: 'marketplace.view',
    method: 'get',
    path: '/api/marketplace/{slug}',
    operationId: 'getMarketplaceItem',
    summary: 'Get an item, with its readme, files and requirements',
    params: itemParams,
    response: { status: 200, schema: itemDetailsSchema },
    handler: async ({ caller: { orgId }, params: { slug } }, context) => {
      const { database, definitions } = context;
      const [item, installs, tools, kinds] = await Promise.all([
        findItem(context, orgId, slug),
        listInstalls(database, orgId),
        definitions.heads(orgId, 'tool'),
        listDestinationKinds(database, orgId),
      ]);
      const { tools: neededTools, ...needs } = needsOf(item);
      const available = new Set(tools.map(({ key }) => key));
      return present(
        itemDetailsSchema,
        { ...item, ...installedOf(item, installs) },
        {
          contains: partsOf(item),
          files: [...item.files].map(([path, content]) => ({ path, content })),
          needs: {
            ...needs,
            providers: item.providers,
            tools: neededTools.map((key) => ({ key, isAvailable: available.has(key) })),
            destinations: item.destinations.map((kind) => ({ kind, isAvailable: kinds.has(kind) })),
          },
        },
      );
    },
  }),
  defineRoute({
    ...head,
    access: 'marketplace.view',
    method: 'get',
    path: '/api/marketplace/{slug}/differences',
    operationId: 'compareMarketplaceItem',
    summary: 'Compare the records of the organization with an item, file by file',
    description:
      "Covers records that were kept when the item was installed with `edited=keep`, records edited since, and other records of the organization with the item's keys. Records that the caller may not see are left out.",
    params: itemParams,
    response: { status: 200, schema: differencesSchema },
    handler: async ({ caller, params: { slug } }, context) => {
      const item = await findItem(context, caller.orgId, slug);
      const records = await withOrgTransaction(context.database, caller.orgId, (em) => compareItem(em, item));
      const seen = records.filter((record) => maySeeRecord(caller, record));
      return present(differencesSchema, item, await differencesOf(seen, item.version));
    },
  }),
  defineRoute({
    ...head,
    access: 'marketplace.manage',
    action: 'install',
    method: 'post',
    path: '/api/marketplace/{slug}/install',
    operationId: 'installMarketplaceItem',
    summary: 'Install an item, or upgrade an installed one',
    description:
      'Adds ordinary records to the organization; the caller needs the permissions to add each of them. It starts nothing and grants nothing. Unedited records are upgraded in place; for edited ones 409 returns the differences, unless `edited` says what to do with them. Installing again changes nothing, unless `edited` is `replace`.',
    params: itemParams,
    query: installQuery,
    errors: [409],
    response: { status: 200, schema: installationSchema },
    handler: async ({ caller, params: { slug }, query, noteRecords }, context) => {
      const item = await findItem(context, caller.orgId, slug);
      checkMayInstall(caller, item);
      const deps = { ...context, shippedPersonaId: (key: string) => shippedId('persona', key) };
      try {
        const choices = { edited: query.edited, changeSource: query.change_source };
        const records = await installItem(deps, caller, item, choices);
        noteRecords(...records.map(({ id }) => id));
        return present(installationSchema, item, { records });
      } catch (error) {
        if (error instanceof ItemWasEdited) throw await editedConflict(error.records, item.version);
        throw error;
      }
    },
  }),
];
