import { z } from 'zod';
import { nameText, text } from '../../domain/core/text.ts';
import { SYNC_DIRECTIONS } from '../../domain/issue-sync/merge-fields.ts';
import { LOG_ACTIONS, LOG_RECORD_TYPES, REPO_STATUSES, REPO_TYPES } from '../../domain/projects.ts';
import {
  EXAMPLE_ID,
  EXAMPLE_TIME,
  deletionFields,
  limitParam,
  pageParams,
  restorableQuery,
  timestamp,
} from '../http/fields.ts';
import { signingKeyOf } from '../issue-sync/receive-delivery.ts';
import { idOf } from '../resources/id-fields.ts';

/** The agents of a project. */
const MAX_AGENTS = 200;
const MIN_SECRET_CHARACTERS = 8;

const agentIds = z.array(idOf('agents')).max(MAX_AGENTS).meta({ description: 'The agents that work in it, in order' });

const fields = {
  name: nameText(),
  description: text(20_000),
  repo_url: text(2_000).meta({
    description: 'The address of its repository, without credentials: http or https; empty for none',
  }),
  repo_type: z.enum(REPO_TYPES).meta({
    description:
      'The kind of the code host; empty without a repository. It can be omitted for addresses on well-known hosts.',
  }),
  integration_id: idOf('integrations').nullable().meta({
    description: 'The integration with the credentials for its code host, of the same kind as `repo_type`',
  }),
  sync_direction: z.enum(SYNC_DIRECTIONS).meta({
    description:
      'Whether issues are only pulled from the code host (`pull`), or titles, labels, statuses and comments are also pushed to it (`both`)',
  }),
  provider_chain_id: idOf('provider_chains')
    .nullable()
    .meta({ description: 'The chain for turns in its chats when neither the chat nor the agent has one' }),
};

const webhookSecret = text(500)
  .min(MIN_SECRET_CHARACTERS)
  .refine(
    (secret) => signingKeyOf(secret) !== undefined,
    'must be whsec_ followed by at least 16 bytes in base64, as the code host shows it',
  )
  .nullable()
  .meta({ description: 'The secret with which the code host signs its events; stored encrypted and never shown' });

export const projectsQuery = restorableQuery.extend({
  q: text(200)
    .min(1)
    .optional()
    .meta({ description: 'Only those with this in their name or description; case-insensitive' }),
});

export const newProjectSchema = z
  .strictObject({
    ...fields,
    description: fields.description.default(''),
    repo_url: fields.repo_url.default(''),
    repo_type: fields.repo_type.default(''),
    integration_id: fields.integration_id.default(null),
    sync_direction: fields.sync_direction.default('pull'),
    provider_chain_id: fields.provider_chain_id.default(null),
    agent_ids: agentIds.default([]),
    webhook_secret: webhookSecret.default(null),
  })
  .meta({
    id: 'ProjectCreate',
    examples: [
      { name: 'Website', repo_url: 'https://github.com/example/website', repo_type: 'github' },
      { name: 'Office move', description: 'Everything about the new office.', agent_ids: [EXAMPLE_ID] },
    ],
  });

export const projectChangesSchema = z
  .strictObject({ ...fields, agent_ids: agentIds, webhook_secret: webhookSecret })
  .partial()
  .meta({ id: 'ProjectUpdate', examples: [{ description: 'The public website and its blog.' }] });

export const projectAgentsSchema = z
  .strictObject({ agent_ids: agentIds })
  .meta({ id: 'ProjectAgentsSet', examples: [{ agent_ids: [EXAMPLE_ID] }] });

export const projectSchema = z
  .object({
    id: z.uuid(),
    owner_id: z.uuid().nullable().meta({ description: 'Its creator; null when the account was deleted' }),
    ...fields,
    integration_id: z.uuid().nullable(),
    integration_error: z.string().nullable().meta({
      description: 'Why the credentials of its integration failed at their last use; null when they worked',
    }),
    repo_status: z.enum(REPO_STATUSES).meta({
      description:
        'Whether the repository has been read, so that prompts can describe it: `none` without one, `pending` before the first read, `ready`, `empty` without commits, `failed` when the last read failed',
    }),
    repo_error: z.string().nullable().meta({ description: 'Why the last read failed; null when it succeeded' }),
    repo_fetched_at: timestamp
      .nullable()
      .meta({ description: 'When its state was last read from the host; null before that' }),
    repo_branch: z.string().nullable().meta({ description: 'Its default branch; null while unknown' }),
    repo_commit: z
      .string()
      .nullable()
      .meta({ description: 'The commit of that branch whose files are described to agents; null while there is none' }),
    provider_chain_id: z.uuid().nullable(),
    agent_ids: z.array(z.uuid()).meta({ description: 'The agents that work in it, in order' }),
    webhook_url: z
      .string()
      .nullable()
      .meta({ description: 'The URL to which its code host sends events; null without a repository' }),
    has_webhook_secret: z.boolean().meta({ description: 'Whether a `webhook_secret` is stored; it is never shown' }),
    created_at: timestamp,
    updated_at: timestamp,
    ...deletionFields,
  })
  .meta({
    id: 'Project',
    examples: [
      {
        id: EXAMPLE_ID,
        owner_id: EXAMPLE_ID,
        name: 'Website',
        description: '',
        repo_url: 'https://github.com/example/website',
        repo_type: 'github',
        integration_id: null,
        integration_error: null,
        sync_direction: 'pull',
        repo_status: 'ready',
        repo_error: null,
        repo_fetched_at: EXAMPLE_TIME,
        repo_branch: 'main',
        repo_commit: '9fceb02d0ae598e95dc970b74767f19372d61af8',
        provider_chain_id: null,
        agent_ids: [EXAMPLE_ID],
        webhook_url: `https://everturn.example.com/api/integrations/github/webhook/${EXAMPLE_ID}`,
        has_webhook_secret: false,
        created_at: EXAMPLE_TIME,
        updated_at: EXAMPLE_TIME,
        deleted_at: null,
        deleted_by: null,
      },
    ],
  });

const activitySchema = z
  .object({
    chat_id: z.uuid(),
    chat_title: z.string(),
    status: z.enum(['queued', 'running', 'waiting']),
    since: timestamp,
  })
  .meta({ id: 'AgentActivity', description: 'An open turn of an agent' });

export const projectAgentSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    description: z.string(),
    agent_type: z.string(),
    is_active: z.boolean(),
    open_turns: z
      .int()
      .meta({ description: 'The number of its open turns in chats of the project, including private ones' }),
    activity: activitySchema.array().meta({ description: 'The oldest of them in chats that you may read' }),
  })
  .meta({
    id: 'ProjectAgent',
    examples: [
      {
        id: EXAMPLE_ID,
        name: 'Reviewer',
        description: 'Reviews changes.',
        agent_type: 'custom',
        is_active: true,
        open_turns: 1,
        activity: [{ chat_id: EXAMPLE_ID, chat_title: 'Review', status: 'running', since: EXAMPLE_TIME }],
      },
    ],
  });

export const logQuery = z.strictObject({
  ...pageParams,
  limit: limitParam().default(100),
  before: idOf('project_logs').optional().meta({ description: 'The id of an entry: only older entries are returned' }),
});

const logValue = z.union([z.string(), z.array(z.string()), z.null()]);

export const projectLogSchema = z
  .object({
    id: z.uuid(),
    project_id: z.uuid(),
    user_id: z.uuid().nullable().meta({ description: 'Who did it, or for whom an agent did' }),
    user_name: z.string().nullable(),
    agent_id: z.uuid().nullable().meta({ description: 'The agent that did it; null for the user themselves' }),
    agent_name: z.string().nullable(),
    action: z.enum(LOG_ACTIONS),
    record_type: z.enum(LOG_RECORD_TYPES),
    record_id: z.uuid(),
    title: z.string().nullable().meta({ description: 'The name of the record at that time; null for a chat' }),
    changes: z.record(z.string(), z.object({ from: logValue, to: logValue })).meta({
      description: 'The changed fields, with their old and new values; both are null where values are not recorded',
    }),
    created_at: timestamp,
  })
  .meta({
    id: 'ProjectLogEntry',
    examples: [
      {
        id: EXAMPLE_ID,
        project_id: EXAMPLE_ID,
        user_id: EXAMPLE_ID,
        user_name: 'Ada',
        agent_id: null,
        agent_name: null,
        action: 'updated',
        record_type: 'issue',
        record_id: EXAMPLE_ID,
        title: 'The menu overlaps the logo',
        changes: { status: { from: 'todo', to: 'in_progress' } },
        created_at: EXAMPLE_TIME,
      },
    ],
  });
