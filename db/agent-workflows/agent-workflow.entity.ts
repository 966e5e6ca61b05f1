import { defineEntity, p } from '@mikro-orm/core';
import type { TriggerType, WorkflowStep } from '../../domain/agent-workflows.ts';
import { tenantFilters, tenantProperties } from '../core/tenant-entity.ts';

const schema = defineEntity({
  name: 'AgentWorkflow',
  tableName: 'agent_workflows',
  filters: tenantFilters,
  properties: {
    ...tenantProperties,
    /** In whose name its webhook starts runs: who last changed them or who can start them; null without one. */
    ownerId: p.uuid().strictNullable(),
    agentId: p.uuid(),
    name: p.text(),
    description: p.text(),
    triggerType: p.text().$type<TriggerType>(),
    promptTemplate: p.text(),
    steps: p.json<WorkflowStep[]>(),
    isActive: p.boolean(),
    /** Encrypted for this row. */
    webhookSecret: p.blob().$type<Buffer>().strictNullable(),
    /** The number of its runs that work at once; null for no bound. */
    maxConcurrentRuns: p.integer().strictNullable(),
    timeLimitMinutes: p.integer().strictNullable(),
    keepRunsDays: p.integer(),
    /** When the housekeeping checks for runs that are kept long enough. */
    purgeAt: p.datetime().onCreate(() => new Date(Date.now() + 3_600_000)),
  },
});

/** One or several prompts for agents, triggered by hand or by a webhook: the product's workflow. */
export class AgentWorkflow extends schema.class {}
schema.setClass(AgentWorkflow);
export { schema as agentWorkflowSchema };
