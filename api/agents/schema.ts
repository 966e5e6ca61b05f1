import { z } from 'zod';
import { jsonObject, nameText, text } from '../../domain/core/text.ts';
import { idFilter, idOf } from '../resources/id-fields.ts';
import { AGENT_DEFAULTS } from '../../db/agents/agents.ts';
import { AGENT_TYPES } from '../../domain/agents.ts';
import { approvalModesSchema } from '../approvals/schema.ts';
import { deletionFields, restorableQuery, timestamp } from '../http/fields.ts';
import { keptVerbatim } from '../../domain/core/record-names.ts';

/** Settings of a connection, such as time limits: neither the name of a program nor a secret fits into them. */
const config = jsonObject().refine(
  (settings) => Object.values(settings).every((value) => typeof value === 'number' || typeof value === 'boolean'),
  'may hold numbers and booleans only',
);

/**
 * The MCP servers of an agent: records of the organization, or addresses. No field names a program to start, and none
 * holds a secret, because every member who sees the agent sees its servers.
 */
const attachedServersSchema = z
  .array(
    z
      .strictObject({
        id: idOf('mcp_servers'),
        server_id: idOf('mcp_servers').meta({ description: 'Another name for `id`' }),
        tools: z
          .array(text(128).min(1))
          .max(200)
          .meta({ description: 'The names of the tools that the agent is offered; all of them unless given' }),
        name: nameText(),
        description: text(5_000).nullable(),
        url: text(2_000).min(1).meta({ format: 'uri' }),
        config,
        auth_type: nameText(50),
        auth_value: z.null({ error: 'belongs in an MCP server record: agents do not hold credentials' }).meta({
          type: ['string', 'null'],
          description: 'Null: agents do not hold credentials',
        }),
      })
      .partial()
      .meta({ id: 'AttachedServer' }),
  )
  .max(50)
  .meta({
    description:
      'MCP servers by the id of their record. An address without a record is stored, and its tools are not offered; programs are rejected.',
  });

const MAX_PROMPT_CHARACTERS = 100_000;
const keys = z.array(nameText(100)).max(200);

/** The fields of an agent that a caller sets; each has the specification's default. */
const fields = {
  name: nameText(),
  description: text(5_000).meta({
    description: 'What the agent is for; other agents read it to decide whom they delegate to',
  }),
  agent_type: z.enum(AGENT_TYPES),
  system_prompt: text(MAX_PROMPT_CHARACTERS).meta({ description: 'The system prompt of each turn' }),
  soul: jsonObject().meta({
    description: 'Free-form description of a character; its entries count before those of the persona',
  }),
  tools: keys.meta({ description: 'Keys of tools of the catalog; `mcp` stands for the tools of its MCP servers' }),
  skills: keys.meta({
    description: 'Keys of its skills; `agent_spawn` among tools or skills lets it delegate work to other agents',
  }),
  requires_approval: keptVerbatim(approvalModesSchema),
  model_pref: nameText().nullable().meta({
    description:
      "The model to use, by its provider's name for it, or `profile:` and the name of a model profile; null leaves it to the account and the chain",
  }),
  temperature: z.number().min(0).max(2),
  max_tokens: z.int().min(1).max(1_000_000).meta({ description: 'The longest reply of one model call, in tokens' }),
  max_subagents: z.int().min(0).max(100).meta({ description: 'Sub-agents that one turn may start' }),
  max_concurrency: z.int().min(1).max(100).meta({ description: 'Sub-agents of one turn that run at the same time' }),
  mcps: keptVerbatim(attachedServersSchema),
  knowledge_base_ids: z
    .array(idOf('knowledge_bases'))
    .max(100)
    .nullable()
    .meta({ description: 'The knowledge bases that it searches and adds to; null for all that its user may view' }),
  is_active: z.boolean().meta({ description: 'Whether users can chat with it' }),
  is_published: z.boolean().meta({
    description:
      'Whether agents of other platforms find it, by a card that everybody can read, and reach it with the credentials of a member. Changing it needs `settings.manage`',
  }),
  provider_chain_id: idOf('provider_chains')
    .nullable()
    .meta({ description: 'The provider chain of its turns, unless their chat has another' }),
  persona_id: idOf('personas').nullable().meta({
    description:
      'Its persona: one of the organization or a builtin one. A new agent without tools or skills takes over its defaults',
  }),
};

export const agentsQuery = restorableQuery.extend({
  q: text(200)
    .min(1)
    .optional()
    .meta({ description: 'Only those with this in name or description, in whatever letters' }),
  provider_chain_id: idFilter('provider_chains').optional().meta({ description: 'Only those that use this chain' }),
  model_profile_id: idFilter('model_profiles').optional().meta({ description: 'Only those that name this profile' }),
  mcp_server_id: idFilter('mcp_servers').optional().meta({ description: 'Only those with this MCP server' }),
  knowledge_base_id: idFilter('knowledge_bases').optional().meta({
    description: 'Only those that have chosen this knowledge base: who has chosen none may search all',
  }),
});

export const newAgentSchema = z
  .strictObject({
    ...fields,
    description: fields.description.default(AGENT_DEFAULTS.description),
    agent_type: fields.agent_type.default(AGENT_DEFAULTS.agentType),
    system_prompt: fields.system_prompt.default(AGENT_DEFAULTS.systemPrompt),
    soul: fields.soul.default(AGENT_DEFAULTS.soul),
    tools: fields.tools.optional(),
    skills: fields.skills.optional(),
    requires_approval: fields.requires_approval.default(AGENT_DEFAULTS.requiresApproval),
    model_pref: fields.model_pref.default(AGENT_DEFAULTS.modelPref),
    temperature: fields.temperature.default(AGENT_DEFAULTS.temperature),
    max_tokens: fields.max_tokens.default(AGENT_DEFAULTS.maxTokens),
    max_subagents: fields.max_subagents.default(AGENT_DEFAULTS.maxSubagents),
    max_concurrency: fields.max_concurrency.default(AGENT_DEFAULTS.maxConcurrency),
    mcps: fields.mcps.default(AGENT_DEFAULTS.mcps),
    knowledge_base_ids: fields.knowledge_base_ids.default(AGENT_DEFAULTS.knowledgeBaseIds),
    is_active: fields.is_active.default(AGENT_DEFAULTS.isActive),
    is_published: fields.is_published.default(AGENT_DEFAULTS.isPublished),
    provider_chain_id: fields.provider_chain_id.default(AGENT_DEFAULTS.providerChainId),
    persona_id: fields.persona_id.default(AGENT_DEFAULTS.personaId),
    missing: jsonObject().optional().meta({
      description: '`missing` of the agent that this is a clone of: what it names does not exist, and is left out',
    }),
  })
  .meta({
    id: 'AgentCreate',
    examples: [{ name: 'Researcher', system_prompt: 'You find sources and quote them.', tools: ['http_request'] }],
  });

export const agentChangesSchema = z
  .strictObject({ ...fields, missing: jsonObject().meta({ description: 'That of the record; it changes nothing' }) })
  .partial()
  .meta({ id: 'AgentUpdate', examples: [{ temperature: 0.7 }] });

const unusable = z.array(z.object({ key: z.string(), problem: z.string() }).meta({ id: 'UnusableDefinition' }));

const missingSchema = z
  .object({
    tools: z.array(z.string()).meta({ description: 'Keys under which there is no tool' }),
    unusable_tools: unusable.meta({
      description: 'Tools that no model is given, and why: faulty ones, and those that the service does not run yet',
    }),
    skills: z.array(z.string()).meta({ description: 'Keys under which there is no skill' }),
    unusable_skills: unusable.meta({ description: 'Skills that no model is given, and why' }),
    persona_id: z.uuid().nullable().meta({ description: 'Its persona, if that does not exist' }),
    mcp_servers: z.array(z.string()).meta({ description: 'Ids of MCP servers that do not exist' }),
    mcp_tools: z
      .array(z.object({ server_id: z.uuid(), tools: z.array(z.string()) }).meta({ id: 'MissingMcpTools' }))
      .meta({
        description: 'Tools that were chosen for it, and that their server did not have when it was last asked',
      }),
    model_profile: z.string().nullable().meta({
      description:
        'The model profile that it names, if there is none, or only one whose chain was deleted: its turns fail',
    }),
  })
  .meta({ id: 'MissingReferences', description: 'What it refers to and cannot be used; its turns go on without' });

export const agentSchema = z
  .object({
    id: z.uuid(),
    ...fields,
    mcps: z.array(z.record(z.string(), z.unknown())),
    missing: missingSchema,
    left_out: z.object({ tools: unusable, skills: unusable }).optional().meta({
      id: 'LeftOutDefaults',
      description:
        'In the answer to its creation: defaults of its persona that it was not given, because they do not exist or its creator may not give them, and why',
    }),
    slug: z.string().nullable().meta({ description: 'The marketplace item that it was installed from' }),
    version: z.string().nullable().meta({ description: 'The version of that item' }),
    created_at: timestamp,
    updated_at: timestamp,
    ...deletionFields,
  })
  .meta({ id: 'Agent' });

export const agentListItemSchema = agentSchema
  .pick({
    id: true,
    name: true,
    description: true,
    agent_type: true,
    is_active: true,
    is_published: true,
    tools: true,
    skills: true,
    created_at: true,
    updated_at: true,
    deleted_at: true,
    deleted_by: true,
  })
  .meta({ id: 'AgentListItem' });

export const personaTypeSchema = z
  .object({
    key: z.string(),
    name: z.string(),
    description: z.string(),
    icon: z.string(),
    system_prompt: z.string(),
    soul: z.record(z.string(), z.unknown()),
    default_skills: z.array(z.string()),
    default_tools: z.array(z.string()),
  })
  .meta({ id: 'PersonaType' });
