import { defineEntity, p } from '@mikro-orm/core';
import type { SyncDirection } from '../../domain/issue-sync/merge-fields.ts';
import type { RepoType } from '../../domain/projects.ts';
import { tenantFilters, tenantProperties } from '../core/tenant-entity.ts';

const schema = defineEntity({
  name: 'Project',
  tableName: 'projects',
  filters: tenantFilters,
  properties: {
    ...tenantProperties,
    /** Its creator; null when the account is gone. */
    ownerId: p.uuid().strictNullable(),
    name: p.text(),
    description: p.text(),
    /** Empty without a repository, as is its type. */
    repoUrl: p.text(),
    repoType: p.text().$type<RepoType>(),
    /** By whose credentials its code host is reached. */
    integrationId: p.uuid().strictNullable(),
    syncDirection: p.text().$type<SyncDirection>(),
    providerChainId: p.uuid().strictNullable(),
    /** Encrypted for this row. */
    webhookSecret: p.blob().$type<Buffer>().strictNullable(),
    deletedAt: p.datetime().strictNullable(),
    /** Who has deleted it; null when that is not known, or the account is gone. */
    deletedBy: p.uuid().strictNullable(),
  },
});

/** A body of work: it gathers agents, chats and issues around a repository. */
export class Project extends schema.class {}
schema.setClass(Project);
export { schema as projectSchema };
