import { defineEntity, p } from '@mikro-orm/core';
import type { AgentType } from '../../domain/agents.ts';
import type { ApprovalModes } from '../../domain/approvals.ts';
import { tenantFilters, tenantProperties } from '../core/tenant-entity.ts';

const schema = defineEntity({
  name: 'Agent',
  tableName: 'agents',
  filters: tenantFilters,
  properties: {
    ...tenantProperties,
    name: p.text(),
    description: p.text(),
    agentType: p.text().$type<AgentType>(),
    systemPrompt: p.text(),
    soul: p.json<Record<string, unknown>>(),
    tools: p.json<string[]>(),
    skills: p.json<string[]>(),
    /** When its calls wait for a person's decision. */
    requiresApproval: p.json<ApprovalModes>(),
    mcps: p.json<Record<string, unknown>[]>(),
    /** The knowledge bases that it searches; null for all that its user may view. */
    knowledgeBaseIds: p.json<string[]>().strictNullable(),
    modelPref: p.text().strictNullable(),
    temperature: p.double().$type<number>(),
    maxTokens: p.integer(),
    maxSubagents: p.integer(),
    maxConcurrency: p.integer(),
    isActive: p.boolean(),
    /** Whether agents of other platforms see it, and reach it. */
    isPublished: p.boolean(),
    providerChainId: p.uuid().strictNullable(),
    personaId: p.uuid().strictNullable(),
    /** The marketplace item that it was installed from, its name there, and in which version. */
    slug: p.text().strictNullable(),
    itemKey: p.text().strictNullable(),
    version: p.text().strictNullable(),
    /** Of its fields as they were installed. */
    installedDigest: p.text().strictNullable(),
    deletedAt: p.datetime().strictNullable(),
    /** Who has deleted it; null when that is not known, or the account is gone. */
    deletedBy: p.uuid().strictNullable(),
  },
});

/** An agent of an organization: its instructions and limits. */
export class Agent extends schema.class {}
schema.setClass(Agent);
export { schema as agentSchema };
