import { z } from 'zod';
import { text } from '../../domain/core/text.ts';
import {
  commentText,
  ISSUE_DEFAULTS,
  ISSUE_STATUSES,
  issueLabels,
  issueText,
  issueTitle,
  MAX_LABEL_CHARACTERS,
} from '../../domain/issues.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, pageParams, priority, timestamp } from '../http/fields.ts';
import { idFilter, idOf } from '../resources/id-fields.ts';

const status = z.enum(ISSUE_STATUSES).meta({ id: 'IssueStatus' });

const fields = {
  title: issueTitle(),
  description: issueText(),
  priority,
  labels: issueLabels().meta({ description: 'Duplicates are removed' }),
  assigned_agent_id: idOf('agents').nullable().meta({ description: 'The agent assigned to it' }),
  assigned_user_id: idOf('members').nullable().meta({ description: 'The member responsible for it' }),
};

export const newIssueSchema = z
  .strictObject({
    project_id: idOf('projects'),
    ...fields,
    description: fields.description.default(ISSUE_DEFAULTS.description),
    priority: priority.default(ISSUE_DEFAULTS.priority),
    labels: fields.labels.default(ISSUE_DEFAULTS.labels),
    assigned_agent_id: fields.assigned_agent_id.default(ISSUE_DEFAULTS.assignedAgentId),
    assigned_user_id: fields.assigned_user_id.default(ISSUE_DEFAULTS.assignedUserId),
  })
  .meta({
    id: 'IssueCreate',
    examples: [{ project_id: EXAMPLE_ID, title: 'The menu overlaps the logo', priority: 'high', labels: ['bug'] }],
  });

export const issueChangesSchema = z
  .strictObject({ ...fields, status })
  .partial()
  .meta({ id: 'IssueUpdate', examples: [{ status: 'in_progress', assigned_agent_id: EXAMPLE_ID }] });

const author = {
  user_id: z
    .uuid()
    .nullable()
    .meta({ description: 'Who wrote it, or for whom an agent did; null when the account was deleted' }),
  user_name: z.string().nullable(),
  agent_id: z.uuid().nullable().meta({ description: 'The agent that wrote it; null for the user themselves' }),
  agent_name: z
    .string()
    .nullable()
    .meta({ description: '`Hidden agent`, without an id, for agents that your permission groups do not let you use' }),
};

const conflictSchema = z
  .object({
    field: z.enum(['title', 'description', 'labels']),
    here: z.union([z.string(), z.array(z.string())]).meta({ description: 'The previous value here' }),
  })
  .meta({
    id: 'IssueSyncConflict',
    description: 'A field changed on both sides; the host’s value was kept',
  });

const remoteSchema = z
  .object({
    number: z.int(),
    url: z.string().nullable(),
    author: z.string().nullable().meta({ description: 'The name of its author at the code host' }),
    state: z.enum(['open', 'done', 'dropped']).meta({ description: 'Whether it is open there, or how it was closed' }),
    changed_at: timestamp.meta({ description: 'When it was last changed there' }),
    synced_at: timestamp.meta({ description: 'When it was last pulled from there' }),
    conflicts: z.array(conflictSchema).nullable().meta({ description: 'The fields last changed on both sides' }),
    conflicted_at: timestamp.nullable(),
    push_error: z
      .string()
      .nullable()
      .meta({ description: 'Why a change or comment made here could not be pushed to the host' }),
  })
  .meta({
    id: 'RemoteIssue',
    description: 'The issue at the code host that it is synchronized with; null without one',
  });

const remoteCommentSchema = z
  .object({ author: z.string().nullable(), url: z.string().nullable() })
  .meta({ id: 'RemoteComment', description: 'The comment at the code host that it is synchronized with' });

export const issueSchema = z
  .object({
    id: z.uuid(),
    project_id: z.uuid(),
    number: z.int().meta({ description: 'Number within the project, from 1' }),
    ...fields,
    status,
    labels: z.array(z.string()),
    assigned_agent_id: z.uuid().nullable(),
    assigned_agent_name: z.string().nullable().meta({ description: 'Like `agent_name`' }),
    assigned_user_id: z.uuid().nullable(),
    assigned_user_name: z.string().nullable(),
    ...author,
    remote: remoteSchema.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({
    id: 'Issue',
    examples: [
      {
        id: EXAMPLE_ID,
        project_id: EXAMPLE_ID,
        number: 12,
        title: 'The menu overlaps the logo',
        description: 'On narrow screens.',
        priority: 'high',
        labels: ['bug'],
        status: 'backlog',
        assigned_agent_id: null,
        assigned_agent_name: null,
        assigned_user_id: EXAMPLE_ID,
        assigned_user_name: 'Ada',
        user_id: EXAMPLE_ID,
        user_name: 'Ada',
        agent_id: null,
        agent_name: null,
        remote: null,
        created_at: EXAMPLE_TIME,
        updated_at: EXAMPLE_TIME,
      },
    ],
  });

export const issueQuery = z.strictObject({
  project_id: idFilter('projects').optional().meta({ description: 'Only the issues of this project' }),
  status: status.optional().meta({ description: 'Only those with this status' }),
  label: text(MAX_LABEL_CHARACTERS).min(1).optional().meta({ description: 'Only those with exactly this label' }),
  assigned_agent_id: idFilter('agents').optional().meta({ description: 'Only those assigned to this agent' }),
  assigned_user_id: idFilter('members').optional().meta({ description: 'Only those assigned to this member' }),
  q: text(500)
    .min(1)
    .optional()
    .meta({
      description:
        'Words that the title or description must all contain; words in quotation marks must be adjacent. The last word may be a prefix.',
      examples: ['"menu overlaps" log'],
    }),
  ...pageParams,
});

const commentFields = {
  content: commentText(),
};

export const newCommentSchema = z
  .strictObject(commentFields)
  .meta({ id: 'IssueCommentCreate', examples: [{ content: 'It happens below 400 pixels.' }] });

export const commentChangesSchema = z
  .strictObject(commentFields)
  .partial()
  .meta({ id: 'IssueCommentUpdate', examples: [{ content: 'It happens below 420 pixels.' }] });

export const commentSchema = z
  .object({
    id: z.uuid(),
    issue_id: z.uuid(),
    content: z.string(),
    ...author,
    remote: remoteCommentSchema.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({
    id: 'IssueComment',
    examples: [
      {
        id: EXAMPLE_ID,
        issue_id: EXAMPLE_ID,
        content: 'It happens below 400 pixels.',
        user_id: EXAMPLE_ID,
        user_name: 'Ada',
        agent_id: null,
        agent_name: null,
        remote: null,
        created_at: EXAMPLE_TIME,
        updated_at: EXAMPLE_TIME,
      },
    ],
  });
