import { p } from '@mikro-orm/core';
import { v7 as uuidv7 } from 'uuid';

/**
 * Columns of a record that belongs to one organization: a time-ordered id (UUID version 7), and when it was made and
 * last changed (UTC).
 */
export const tenantProperties = {
  orgId: p.uuid(),
  id: p
    .uuid()
    .primary()
    .onCreate(() => uuidv7()),
  createdAt: p.datetime().onCreate(() => new Date()),
  updatedAt: p
    .datetime()
    .onCreate(() => new Date())
    .onUpdate(() => new Date()),
};

/** Name of the filter that narrows every tenant entity to the caller's organization. */
export const TENANT_FILTER = 'tenant';

/** The filter of a tenant entity; its parameter is set for all of them at once by `withOrgTransaction`. */
export const tenantFilters = {
  [TENANT_FILTER]: { name: TENANT_FILTER, cond: (args: { orgId: string }) => ({ orgId: args.orgId }), default: true },
};
