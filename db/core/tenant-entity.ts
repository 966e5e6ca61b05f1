import { p } from '@mikro-orm/core';
import { v7 as uuidv7 } from 'uuid';

/**
 * The columns of every record that belongs to one organization: a time-ordered id (UUID version 7), and when it was
 * created and last changed (UTC).
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

/** The name of the filter that restricts every tenant entity to the caller's organization. */
export const TENANT_FILTER = 'tenant';

/** The filter of a tenant entity; `withOrgTransaction` sets its parameter for all of them at once. */
export const tenantFilters = {
  [TENANT_FILTER]: { name: TENANT_FILTER, cond: (args: { orgId: string }) => ({ orgId: args.orgId }), default: true },
};
