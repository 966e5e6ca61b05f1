import { agentWorkflowSchema } from '../agent-workflows/agent-workflow.entity.ts';
import { agentSchema } from '../agents/agent.entity.ts';
import { apiKeySchema } from '../api-keys.ts';
import { channelSchema } from '../channels/channel.entity.ts';
import { definitionSchema } from '../definitions/definition.entity.ts';
import { destinationSchema } from '../destinations/destination.entity.ts';
import { integrationSchema } from '../integrations/integration.entity.ts';
import { issueSchema } from '../issues/issue.entity.ts';
import { mcpServerSchema } from '../mcp-servers/mcp-server.entity.ts';
import { modelProfileSchema } from '../model-profiles.ts';
import { permissionGroupSchema } from '../permissions/permission-group.entity.ts';
import { projectSchema } from '../projects/project.entity.ts';
import { providerAccountSchema } from '../providers/provider-account.entity.ts';
import { providerChainSchema } from '../provider-chains.ts';
import { scheduleSchema } from '../schedules/schedule.entity.ts';

/** Every entity of the platform. Tables that only SQL reads and writes have none (docs/architecture.md). */
export const entities = [
  agentWorkflowSchema,
  agentSchema,
  apiKeySchema,
  channelSchema,
  definitionSchema,
  destinationSchema,
  integrationSchema,
  issueSchema,
  mcpServerSchema,
  modelProfileSchema,
  permissionGroupSchema,
  projectSchema,
  providerAccountSchema,
  providerChainSchema,
  scheduleSchema,
];
