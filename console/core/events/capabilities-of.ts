/** The capabilities whose pages show a resource, where they are not called as it is. */
const SHOWN_BY: Readonly<Record<string, readonly string[]>> = {
  // Turns change the tasks that they work on, and the issues of those.
  chats: ['chats', 'tasks', 'issues'],
  messages: ['messages', 'chats'],
  files: ['files', 'chats'],
  approvals: ['approvals', 'chats'],
  invites: ['invites', 'members'],
  members: ['members', 'permissions'],
  memories: ['memories', 'agents'],
  orgs: ['organization'],
  permission_groups: ['permissions'],
  tasks: ['tasks', 'board'],
  issues: ['issues', 'board'],
  issue_comments: ['issue-comments', 'issues'],
  project_logs: ['project-logs', 'projects'],
  project_syncs: ['project-syncs', 'projects'],
  provider_chains: ['provider-chains', 'providers'],
  workflows: ['workflows', 'agent-workflows'],
  workflow_runs: ['workflow-runs', 'workflows', 'agent-workflows', 'runs'],
  schedule_runs: ['schedule-runs', 'schedules', 'runs'],
  webhook_deliveries: ['webhook-deliveries', 'workflows', 'schedules'],
  knowledge_documents: ['knowledge-documents', 'knowledge-bases'],
};

/** Returns the capabilities that show a resource: the first one its records, the others among their own. */
export function capabilitiesOf(resource: string): readonly string[] {
  return SHOWN_BY[resource] ?? [resource.replaceAll('_', '-')];
}
