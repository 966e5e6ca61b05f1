import { agentSchema } from '../agents/agent.entity.ts';
import { apiKeySchema } from '../api-keys/api-key.entity.ts';
import { permissionGroupSchema } from '../permissions/permission-group.entity.ts';
import { providerAccountSchema } from '../providers/provider-account.entity.ts';
import { providerChainSchema } from '../provider-chains/provider-chain.entity.ts';

/**
 * Every entity of the platform. The tables of chats and turns are accessed by SQL (`Database.tenant`) and have none.
 */
export const entities = [agentSchema, apiKeySchema, permissionGroupSchema, providerAccountSchema, providerChainSchema];
