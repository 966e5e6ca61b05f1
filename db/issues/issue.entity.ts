import { defineEntity, p } from '@mikro-orm/core';
import type { Priority } from '../../domain/priorities.ts';
import type { IssueStatus } from '../../domain/issues.ts';
import { tenantFilters, tenantProperties } from '../core/tenant-entity.ts';

const schema = defineEntity({
  name: 'Issue',
  tableName: 'issues',
  filters: tenantFilters,
  properties: {
    ...tenantProperties,
    projectId: p.uuid(),
    /** Counts the issues of the project, from 1. */
    number: p.integer(),
    title: p.text(),
    description: p.text(),
    status: p.text().$type<IssueStatus>(),
    priority: p.text().$type<Priority>(),
    /** In their order; `issue_labels` indexes them. */
    labels: p.json<string[]>(),
    assignedAgentId: p.uuid().strictNullable(),
    assignedUserId: p.uuid().strictNullable(),
    /** Who added it, or for whom the agent did; null when the account is gone. */
    userId: p.uuid().strictNullable(),
    /** The agent that added it. */
    agentId: p.uuid().strictNullable(),
    /** Whether it was written where text from outside had been read, and so may repeat it. */
    isForeign: p.boolean(),
  },
});

/** Something to be done in a project. */
export class Issue extends schema.class {}
schema.setClass(Issue);
export { schema as issueSchema };
