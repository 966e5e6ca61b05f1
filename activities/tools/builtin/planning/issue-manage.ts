import { z } from 'zod';
import { commentText, ISSUE_STATUSES, issueLabels, issueText, issueTitle } from '../../../../domain/issues.ts';
import { PRIORITIES } from '../../../../domain/priorities.ts';
import type { IssueComment, ShownIssue, ToolContext } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { ToolOutput } from '../../tool.ts';
import { recordId, requireArgument } from '../parameters.ts';

const MAX_LISTED = 50;
const MAX_PROJECTS = 50;
const MAX_COMMENTS = 100;
/** The characters of a description in a list; `get` shows it whole. */
const MAX_EXCERPT = 200;

const parameters = z.strictObject({
  action: z
    .enum(['list', 'get', 'create', 'update', 'comment'])
    .describe(
      'What to do. `get`, `update` and `comment` need issue_id, `create` needs title, `comment` needs comment.',
    ),
  project_id: recordId
    .optional()
    .describe('Id of the project; that of this chat when left out. A list without any shows the projects there are.'),
  issue_id: recordId.optional().describe('Id of the issue.'),
  title: issueTitle().optional().describe('One line that says what is to be done.'),
  description: issueText().optional().describe('What is to be done and how one sees that it is done, as Markdown.'),
  comment: commentText().min(1).optional().describe('What to say about the issue.'),
  status: z
    .enum(ISSUE_STATUSES)
    .optional()
    .describe('In update: the new status. In list: only these. New issues begin in the backlog.'),
  priority: z.enum(PRIORITIES).optional().describe('`medium` when left out.'),
  labels: issueLabels().optional().describe('All labels of the issue. In list: only issues that have the first.'),
  assigned_agent_id: recordId.nullable().optional().describe('Id of the agent that is to do it; null for nobody.'),
  query: z.string().min(1).max(500).optional().describe('In list: words of title or description, all of them.'),
});

type Arguments = z.output<typeof parameters>;

/** Manages the issues of projects, with the rights of the turn's user. Repeating a change has no further effect. */
export const issueManage = defineTool({
  key: 'issue_manage',
  name: 'Issues',
  description:
    "Lists, reads, adds, changes and comments on issues: what is to be done in the organization's projects. " +
    'List before you add, so that nothing is written down twice.',
  category: 'planning',
  onlyInChats: true,
  parameters,
  effect: 'keyed',
  timeoutSeconds: 30,
  inline: true,
  permission: 'issues',
  effectOf: ({ action }) => (action === 'list' || action === 'get' ? 'read' : 'keyed'),
  label: ({ action }) => `Issues: ${action}`,
  run: async (args, context) => ACTIONS[args.action](args, context),
});

const ACTIONS: Readonly<Record<Arguments['action'], (args: Arguments, context: ToolContext) => Promise<ToolOutput>>> = {
  list: async (args, { issues }) => {
    const projectId = await projectFor(args, issues);
    const { status, query: q, labels, assigned_agent_id: agentId } = args;
    const filter = { projectId, status, q, label: labels?.[0], assignedAgentId: agentId ?? undefined };
    const { items, total } = await issues.list(filter, MAX_LISTED);
    const projects = projectId === undefined ? { projects: await issues.listProjects(MAX_PROJECTS) } : {};
    return { value: { issues: items.map(presentShort), total, ...projects }, isForeign: items.some(isForeignText) };
  },
  get: async (args, { issues }) => {
    const issue = await issues.get(requireArgument(args, 'issue_id'));
    const { items: comments, total } = await issues.listComments(issue.id, MAX_COMMENTS);
    return {
      value: { ...present(issue), comments: comments.map(presentComment), comment_count: total },
      isForeign: [issue, ...comments].some(isForeignText),
    };
  },
  create: async (args, { issues, idempotencyKey, hasForeignText: isForeign }) => {
    const projectId = await projectFor(args, issues);
    if (projectId === undefined)
      throw new ToolFailure('invalid_input', 'This chat is in no project: give project_id; list shows the projects');
    const { description, priority, labels, assigned_agent_id: assignedAgentId } = args;
    const fields = {
      projectId,
      title: requireArgument(args, 'title'),
      description,
      priority,
      labels,
      assignedAgentId,
      isForeign,
    };
    // Under the id of the call, so that a repeated call adds nothing.
    return toOutput(await issues.create(idempotencyKey, fields));
  },
  update: async (args, { issues, hasForeignText: isForeign }) => {
    const { title, description, status, priority, labels, assigned_agent_id: assignedAgentId } = args;
    const changes = { title, description, status, priority, labels, assignedAgentId, isForeign };
    return toOutput(await issues.update(requireArgument(args, 'issue_id'), changes));
  },
  comment: async (args, { issues, idempotencyKey, hasForeignText: isForeign }) => {
    const issueId = requireArgument(args, 'issue_id');
    await issues.comment(idempotencyKey, { issueId, content: requireArgument(args, 'comment'), isForeign });
    return { value: { issue_id: issueId, comment_id: idempotencyKey } };
  },
};

async function projectFor(
  { project_id: given }: Arguments,
  issues: ToolContext['issues'],
): Promise<string | undefined> {
  return given ?? issues.projectOfChat();
}

function toOutput(issue: ShownIssue): ToolOutput {
  return { value: present(issue), isForeign: issue.isForeign };
}

function isForeignText({ isForeign }: ShownIssue | IssueComment): boolean {
  return isForeign;
}

function presentShort({ description, ...issue }: ShownIssue) {
  const excerpt =
    description.length > MAX_EXCERPT ? `${description.slice(0, MAX_EXCERPT).toWellFormed()}…` : description;
  return present({ ...issue, description: excerpt });
}

function present(issue: ShownIssue) {
  return {
    id: issue.id,
    project_id: issue.projectId,
    number: issue.number,
    title: issue.title,
    description: issue.description,
    status: issue.status,
    priority: issue.priority,
    labels: issue.labels,
    assigned_agent_id: issue.assignedAgentId,
    assigned_agent_name: issue.assignedAgentName,
    assigned_user_name: issue.assignedUserName,
    author: authorOf(issue),
    updated_at: issue.updatedAt.toISOString(),
  };
}

function presentComment(comment: IssueComment) {
  return { content: comment.content, author: authorOf(comment), created_at: comment.createdAt.toISOString() };
}

function authorOf({ agentName, userName }: ShownIssue | IssueComment): string | null {
  return agentName ?? userName;
}
