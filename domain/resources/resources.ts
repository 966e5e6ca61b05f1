import type { Area } from './areas.ts';

/** Declares how permission groups allow the records of a resource one by one. */
interface AllowlistField {
  /** The list in a policy. */
  readonly name: string;
  /** The list in the API. */
  readonly field: string;
  /** The list of what can go into it, in `GET /api/permissions/assignable`. */
  readonly choices: string;
  readonly holds: 'ids' | 'keys';
  /** Several records, within a sentence. */
  readonly things: string;
}

/** Declares what all layers have to know of a resource. */
export interface Resource {
  /** The singular name that begins error messages: "Provider chain not found". */
  readonly name: string;
  /** The parameter of a path that holds the id of a record. Fields that hold one are named so, or end in it. */
  readonly idName?: `${string}_id`;
  /** The area whose keys open it. Without one a role, or being its user, does. */
  readonly area?: Area;
  /** Deletion keeps the record, and can be taken back. */
  readonly isRestorable?: true;
  /**
   * Several people may have an editor of a record open: its answers carry an `ETag`, and its changes take `If-Match`.
   */
  readonly hasEditors?: true;
  /** Only its own user sees a record. */
  readonly isPersonal?: true;
  readonly allowlist?: AllowlistField;
}

/**
 * Every resource that a route is about or names, by its name in the audit log. Permission checks at the door,
 * allowlists, what can be assigned, audit actions and the contract tests are made from this table.
 */
export const RESOURCES = {
  agents: {
    name: 'Agent',
    idName: 'agent_id',
    area: 'agents',
    isRestorable: true,
    hasEditors: true,
    allowlist: { name: 'agentIds', field: 'agent_ids', choices: 'agents', holds: 'ids', things: 'agents' },
  },
  agent_templates: { name: 'Agent template', area: 'agents' },
  agent_types: { name: 'Agent type', area: 'agents' },
  skills: {
    name: 'Skill',
    idName: 'skill_id',
    area: 'skills',
    hasEditors: true,
    allowlist: { name: 'skillKeys', field: 'skill_keys', choices: 'skills', holds: 'keys', things: 'skills' },
  },
  tools: {
    name: 'Tool',
    idName: 'tool_id',
    area: 'tools',
    hasEditors: true,
    allowlist: { name: 'toolKeys', field: 'tool_keys', choices: 'tools', holds: 'keys', things: 'tools' },
  },
  personas: {
    name: 'Persona',
    idName: 'persona_id',
    area: 'personas',
    hasEditors: true,
    allowlist: { name: 'personaIds', field: 'persona_ids', choices: 'personas', holds: 'ids', things: 'personas' },
  },
  memories: { name: 'Memory', idName: 'memory_id', area: 'memory', hasEditors: true },
  knowledge_bases: { name: 'Knowledge base', idName: 'knowledge_base_id', area: 'knowledge_bases' },
  knowledge_documents: { name: 'Document', idName: 'document_id', area: 'knowledge_bases' },
  mcp_servers: { name: 'MCP server', idName: 'mcp_id', area: 'mcp_servers', hasEditors: true },
  providers: {
    name: 'Provider',
    idName: 'provider_id',
    area: 'providers',
    isRestorable: true,
    hasEditors: true,
    allowlist: {
      name: 'providerIds',
      field: 'provider_ids',
      choices: 'providers',
      holds: 'ids',
      things: 'provider accounts',
    },
  },
  provider_chains: {
    name: 'Provider chain',
    idName: 'chain_id',
    area: 'providers',
    hasEditors: true,
    allowlist: { name: 'chainIds', field: 'chain_ids', choices: 'chains', holds: 'ids', things: 'provider chains' },
  },
  model_profiles: { name: 'Model profile', idName: 'profile_id', area: 'providers', hasEditors: true },
  integrations: { name: 'Integration', idName: 'integration_id', area: 'integrations', hasEditors: true },
  mcp_programs: { name: 'MCP program', area: 'mcp_servers' },
  integration_kinds: { name: 'Integration kind', area: 'integrations' },
  marketplace: { name: 'Marketplace item', area: 'marketplace' },
  projects: { name: 'Project', idName: 'project_id', area: 'projects', isRestorable: true, hasEditors: true },
  project_logs: { name: 'Log entry', idName: 'entry_id', area: 'projects' },
  host_deliveries: { name: 'Delivery' },
  project_syncs: { name: 'Sync', idName: 'sync_id', area: 'projects' },
  issues: { name: 'Issue', idName: 'issue_id', area: 'issues', hasEditors: true },
  issue_comments: { name: 'Comment', idName: 'comment_id', area: 'issues' },
  tasks: { name: 'Task', idName: 'task_id', area: 'tasks', isPersonal: true },
  workflows: { name: 'Workflow', idName: 'workflow_id', area: 'schedules', hasEditors: true },
  workflow_runs: { name: 'Run', idName: 'run_id', area: 'schedules' },
  webhook_deliveries: { name: 'Delivery', idName: 'delivery_id', area: 'webhooks' },
  schedules: { name: 'Schedule', idName: 'schedule_id', area: 'schedules', hasEditors: true },
  schedule_runs: { name: 'Run', area: 'schedules' },
  approvals: { name: 'Approval', idName: 'approval_id', area: 'approvals', isPersonal: true },
  permission_groups: { name: 'Permission group', idName: 'group_id', area: 'settings', hasEditors: true },
  permissions: { name: 'Permission' },
  usage: { name: 'Usage' },
  audit: { name: 'Audit log', area: 'settings' },
  chats: { name: 'Chat', idName: 'chat_id', isRestorable: true, isPersonal: true },
  messages: { name: 'Message', idName: 'message_id', isPersonal: true },
  turns: { name: 'Turn', idName: 'turn_id', isPersonal: true },
  calls: { name: 'Call', idName: 'call_id', isPersonal: true },
  files: { name: 'File', idName: 'file_id', isPersonal: true },
  orgs: { name: 'Organization', idName: 'org_id' },
  members: { name: 'Member', idName: 'user_id' },
  invites: { name: 'Invite', idName: 'invite_id' },
  users: { name: 'User' },
  api_keys: { name: 'API key', idName: 'key_id', isPersonal: true },
  devices: { name: 'Device', idName: 'device_id', isPersonal: true },
  sessions: { name: 'Session', idName: 'session_id', isPersonal: true },
  auth: { name: 'Sign-in' },
  health: { name: 'Health' },
} as const satisfies Readonly<Record<string, Resource>>;

/** The name of a resource. */
export type ResourceKey = keyof typeof RESOURCES;

/** The names of all resources. */
export const RESOURCE_KEYS = Object.keys(RESOURCES) as readonly ResourceKey[];

/** Returns the declaration of a resource, with the parts that only some have. */
export function resourceOf(key: ResourceKey): Resource {
  return RESOURCES[key];
}

/** Returns the name of a record within a sentence: "provider chain", "API key". */
export function nameInSentence(key: ResourceKey): string {
  return RESOURCES[key].name.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());
}
