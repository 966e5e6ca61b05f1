import { z } from 'zod';
import { jsonObject, nameText, text } from '../../domain/core/text.ts';
import { idFilter, idOf } from '../resources/id-fields.ts';
import { AGENT_DEFAULTS } from '../../db/agents/agents.ts';
import { AGENT_TYPES } from '../../domain/agents.ts';
import { approvalModesSchema } from '../approvals/schema.ts';
import { connectionSettings, mcpServerSchema } from '../mcp-servers/schema.ts';
import { deletionFields, restorableQuery, timestamp } from '../http/fields.ts';
import { keptVerbatim } from '../../domain/core/record-names.ts';

const attachedServer = z
  .looseObject({
    id: idOf('mcp_servers'),
    server_id: idOf('mcp_servers').meta({ description: 'Another name for `id`' }),
    mcp_id: idOf('mcp_servers').meta({ description: 'Another name for `id`' }),
    tools: z
      .array(text(128).min(1))
      .max(200)
      .meta({ description: 'The names of the tools offered to the agent; defaults to all' }),
    name: nameText(),
    description: text(5_000).nullable(),
    url: text(2_000).min(1).meta({ format: 'uri' }),
    config: connectionSettings,
    auth_type: nameText(50),
    auth_value: z.null({ error: 'belongs in an MCP server record: agents do not contain credentials' }).meta({
      type: ['string', 'null'],
      description: 'Null: agents do not contain credentials',
    }),
  })
  .partial();

type SentServer = z.output<typeof attachedServer>;

const isKnown = (name: string) => Object.hasOwn(attachedServer.shape, name);
const isShown = (name: string) => Object.hasOwn(mcpServerSchema.shape, name);

function idIn({ id, server_id: serverId, mcp_id: mcpId }: SentServer): string | undefined {
  return id ?? serverId ?? mcpId;
}

/**
 * The MCP servers of an agent: records of the organization, or addresses. No field names a program to start, and none
 * contains a secret, because every member who sees the agent sees its servers.
 */
const attachedServersSchema = z
  .array(
    attachedServer
      .superRefine((server, context) => {
        const isRecord = idIn(server) !== undefined;
        const keys = Object.keys(server).filter((name) => !isKnown(name) && !(isRecord && isShown(name)));
        if (keys.length > 0) context.addIssue({ code: 'unrecognized_keys', keys, input: server });
      })
      .meta({ id: 'AttachedServer', additionalProperties: false })
      .transform((server) => {
        const known = Object.entries(server).filter(([name]) => isKnown(name));
        const id = idIn(server);
        return { ...Object.fromEntries(known), ...(id !== undefined && { id }) };
      }),
  )
  .max(50)
  .meta({
    description:
      'MCP servers by the id of their record, or as that record is shown. An address without a record is stored, but its tools are not offered; programs are rejected.',
  });

const MAX_PROMPT_CHARACTERS = 100_000;
const keys = z.array(nameText(100)).max(200);

/** The fields of an agent that a caller sets; each has the specification's default. */
const fields = {
  name: nameText(),
  description: text(5_000).meta({
    description: 'What the agent is for; other agents read it when they decide which agent to delegate to',
  }),
  agent_type: z.enum(AGENT_TYPES),
  system_prompt: text(MAX_PROMPT_CHARACTERS).meta({ description: 'The system prompt of each turn' }),
  soul: jsonObject().meta({
    description: 'Free-form description of a character; its entries take precedence over those of the persona',
  }),
  tools: keys.meta({ description: 'Keys of tools from the catalog; `mcp` stands for the tools of its MCP servers' }),
  skills: keys.meta({
    description: 'Keys of its skills; `agent_spawn` among tools or skills lets it delegate work to other agents',
  }),
  requires_approval: keptVerbatim(approvalModesSchema),
  model_pref: nameText().nullable().meta({
    description:
      'The model to use, as its provider names it, or `profile:` and the name of a model profile; null leaves it to the account and the chain',
  }),
  temperature: z.number().min(0).max(2),
  max_tokens: z.int().min(1).max(1_000_000).meta({ description: 'The maximum length of one model reply, in tokens' }),
  max_subagents: z.int().min(0).max(100).meta({ description: 'The maximum number of sub-agents per turn' }),
  max_concurrency: z
    .int()
    .min(1)
    .max(100)
    .meta({ description: 'The maximum number of concurrent sub-agents per turn' }),
  mcps: keptVerbatim(attachedServersSchema),
  knowledge_base_ids: z
    .array(idOf('knowledge_bases'))
    .max(100)
    .nullable()
    .meta({ description: 'The knowledge bases that it can search and add to; null for all that its user may view' }),
  is_active: z.boolean().meta({ description: 'Whether users can chat with it' }),
  is_published: z.boolean().meta({
    description:
      'Whether agents of other platforms can find it, by a public card, and call it with the credentials of a member. Changing it requires `settings.manage`',
  }),
  provider_chain_id: idOf('provider_chains')
    .nullable()
    .meta({ description: 'The provider chain of its turns, unless their chat has one of its own' }),
  persona_id: idOf('personas').nullable().meta({
    description: "Its persona, custom or builtin. A new agent without tools or skills inherits the persona's defaults",
  }),
};

export const agentsQuery = restorableQuery.extend({
  q: text(200)
    .min(1)
    .optional()
    .meta({ description: 'Only those with this in their name or description; case-insensitive' }),
  provider_chain_id: idFilter('provider_chains').optional().meta({ description: 'Only those that use this chain' }),
  model_profile_id: idFilter('model_profiles')
    .optional()
    .meta({ description: 'Only those that refer to this profile' }),
  mcp_server_id: idFilter('mcp_servers').optional().meta({ description: 'Only those with this MCP server' }),
  knowledge_base_id: idFilter('knowledge_bases').optional().meta({
    description: 'Only those that have selected this knowledge base; agents without a selection may search all',
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
      description: 'The `missing` field of the agent being cloned: what it lists does not exist, and is left out',
    }),
  })
  .meta({
    id: 'AgentCreate',
    examples: [{ name: 'Researcher', system_prompt: 'You find sources and quote them.', tools: ['http_request'] }],
  });

export const agentChangesSchema = z
  .strictObject({
    ...fields,
    missing: jsonObject().meta({ description: 'Accepted so that a record can be sent back; it changes nothing' }),
  })
  .partial()
  .meta({ id: 'AgentUpdate', examples: [{ temperature: 0.7 }] });

const unusable = z.array(z.object({ key: z.string(), problem: z.string() }).meta({ id: 'UnusableDefinition' }));

const missingSchema = z
  .object({
    tools: z.array(z.string()).meta({ description: 'Keys that match no tool' }),
    unusable_tools: unusable.meta({
      description:
        'Tools that are not given to models, and why: invalid ones, and ones that the service cannot run yet',
    }),
    skills: z.array(z.string()).meta({ description: 'Keys that match no skill' }),
    unusable_skills: unusable.meta({ description: 'Skills that are not given to models, and why' }),
    persona_id: z.uuid().nullable().meta({ description: 'Its persona, if it does not exist' }),
    mcp_servers: z.array(z.string()).meta({ description: 'Ids of MCP servers that do not exist' }),
    mcp_tools: z
      .array(z.object({ server_id: z.uuid(), tools: z.array(z.string()) }).meta({ id: 'MissingMcpTools' }))
      .meta({
        description: 'Selected tools that their server did not have when its tools were last fetched',
      }),
    model_profile: z.string().nullable().meta({
      description: 'The model profile that it names, if it does not exist or its chain was deleted: its turns fail',
    }),
  })
  .meta({ id: 'MissingReferences', description: 'References that cannot be used; its turns run without them' });

export const agentSchema = z
  .object({
    id: z.uuid(),
    ...fields,
    mcps: z.array(z.record(z.string(), z.unknown())),
    missing: missingSchema,
    left_out: z.object({ tools: unusable, skills: unusable }).optional().meta({
      id: 'LeftOutDefaults',
      description:
        'In the response to its creation: defaults of its persona that it did not get because they do not exist or its creator may not grant them, and why',
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
