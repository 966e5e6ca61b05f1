import { defineEntity, p } from '@mikro-orm/core';
import type { GroupAllowlists, GroupLimits } from '../../domain/permissions/policy.ts';
import { tenantFilters, tenantProperties } from '../core/tenant-entity.ts';

const schema = defineEntity({
  name: 'PermissionGroup',
  tableName: 'permission_groups',
  filters: tenantFilters,
  properties: {
    ...tenantProperties,
    name: p.text(),
    description: p.text(),
    permissions: p.json<string[]>(),
    limits: p.json<GroupLimits>(),
    allowlists: p.json<GroupAllowlists>(),
    defaultChainId: p.uuid().strictNullable(),
  },
});

/** A group of members whose rights it restricts. Deleted records stay in its allowlists, and allow nothing there. */
export class PermissionGroup extends schema.class {}
schema.setClass(PermissionGroup);
export { schema as permissionGroupSchema };
