import { AppError } from './core/app-error.ts';
import { recordBy } from './core/objects.ts';

/** The areas that have a `view` and a `manage` key, and their names. */
export const AREAS = {
  agents: 'Agents',
  personas: 'Personas',
  skills: 'Skills',
  tools: 'Tools',
  mcp_servers: 'MCP servers',
  knowledge_bases: 'Knowledge bases',
  memory: 'Agent memory',
  projects: 'Projects',
  tasks: 'Tasks',
  issues: 'Issues',
  proposals: 'Proposals',
  approvals: 'Approvals',
  schedules: 'Schedules',
  channels: 'Channels',
  providers: 'Providers and chains',
  integrations: 'Integrations',
  marketplace: 'Marketplace',
  webhooks: 'Webhooks',
  settings: 'Settings',
} as const;

/** Areas whose keys may be granted already, and which nothing asks for yet. */
export const RESERVED_AREAS: ReadonlySet<Area> = new Set(['proposals']);

/** An area with a `view` and a `manage` key. */
export type Area = keyof typeof AREAS;

/** Returns whether a text is an area with keys of its own. */
export function isArea(text: string): text is Area {
  return Object.hasOwn(AREAS, text);
}

/** Declares how permission groups allow the records of a resource one by one. */
interface AllowlistField {
  /** The list in a policy. */
  readonly name: string;
  /** The list in the API. */
  readonly field: string;
  /** The list of what can go into it, in `GET /api/permissions/assignable`. */
  readonly choices: string;
  readonly entryKind: 'ids' | 'keys';
  /** Several records, within a sentence. */
  readonly things: string;
}

/** Declares what all layers need to know of a resource. */
interface Resource {
  /** The singular name that begins error messages: "Provider chain not found". */
  readonly name: string;
  /** The path parameter with the id of a record. Fields with one have this name, or end in it. */
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
 * Every resource that a route is about or names, by its name in the audit log. Permission checks of requests,
 * allowlists, what can be assigned, audit actions and the contract tests are made from this table.
 */
export const RESOURCES = {
  agents: {
    name: 'Agent',
    idName: 'agent_id',
    area: 'agents',
    isRestorable: true,
    hasEditors: true,
    allowlist: { name: 'agentIds', field: 'agent_ids', choices: 'agents', entryKind: 'ids', things: 'agents' },
  },
  agent_templates: { name: 'Agent template', area: 'agents' },
  agent_types: { name: 'Agent type', area: 'agents' },
  skills: {
    name: 'Skill',
    idName: 'skill_id',
    area: 'skills',
    hasEditors: true,
    allowlist: { name: 'skillKeys', field: 'skill_keys', choices: 'skills', entryKind: 'keys', things: 'skills' },
  },
  tools: {
    name: 'Tool',
    idName: 'tool_id',
    area: 'tools',
    hasEditors: true,
    allowlist: { name: 'toolKeys', field: 'tool_keys', choices: 'tools', entryKind: 'keys', things: 'tools' },
  },
  personas: {
    name: 'Persona',
    idName: 'persona_id',
    area: 'personas',
    hasEditors: true,
    allowlist: { name: 'personaIds', field: 'persona_ids', choices: 'personas', entryKind: 'ids', things: 'personas' },
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
      entryKind: 'ids',
      things: 'provider accounts',
    },
  },
  provider_chains: {
    name: 'Provider chain',
    idName: 'chain_id',
    area: 'providers',
    hasEditors: true,
    allowlist: { name: 'chainIds', field: 'chain_ids', choices: 'chains', entryKind: 'ids', things: 'provider chains' },
  },
  model_profiles: { name: 'Model profile', idName: 'profile_id', area: 'providers', hasEditors: true },
  integrations: { name: 'Integration', idName: 'integration_id', area: 'integrations', hasEditors: true },
  destinations: { name: 'Destination', idName: 'destination_id', area: 'integrations', hasEditors: true },
  channels: { name: 'Channel', idName: 'channel_id', area: 'channels', hasEditors: true },
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
  push_subscriptions: { name: 'Push subscription', idName: 'subscription_id', isPersonal: true },
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

/** An allowlist as its resource declares it. */
export type DeclaredAllowlist = NonNullable<ReturnType<typeof allowlistOf>>;

/** The name of an allowlist in a policy. */
export type AllowlistName = DeclaredAllowlist['name'];

/** The names of the allowlists that contain ids of records. */
export type AllowlistOfIds = Extract<DeclaredAllowlist, { readonly entryKind: 'ids' }>['name'];

/** Returns the allowlist of a resource; undefined when its records are not allowed one by one. */
export function allowlistOf(resource: ResourceKey) {
  const declared = RESOURCES[resource];
  return 'allowlist' in declared ? { resource, ...declared.allowlist } : undefined;
}

/** Every allowlist that a permission group has. */
export const ALLOWLISTS: readonly DeclaredAllowlist[] = (Object.keys(RESOURCES) as ResourceKey[]).flatMap(
  (resource) => allowlistOf(resource) ?? [],
);

const WITH_IDS = (Object.keys(RESOURCES) as ResourceKey[]).flatMap((resource) => {
  const declared = RESOURCES[resource];
  return 'idName' in declared ? [{ resource, idName: declared.idName }] : [];
});

/** The name of a parameter that contains the id of a record. */
export type IdName = (typeof WITH_IDS)[number]['idName'];

/** The resource whose records a parameter names. */
export const RESOURCE_OF_ID: Readonly<Record<IdName, ResourceKey>> = recordBy(
  WITH_IDS,
  'idName',
  ({ resource }) => resource,
);

/**
 * The versions of a record that a change is meant for, each by the time of its last change; undefined when it is meant
 * for any.
 */
export type ExpectedVersions = readonly Date[] | undefined;

/** Returns whether a change sets any field: one that sets none leaves the version of its record as it is. */
export function setsAny(changes: object): boolean {
  return Object.values(changes).some((value) => value !== undefined);
}

/** Throws `precondition_failed` unless a record, which is locked, has an expected version. */
export function requireVersion({ updatedAt }: { readonly updatedAt: Date }, expected: ExpectedVersions): void {
  if (expected?.every((each) => each.getTime() !== updatedAt.getTime()) !== true) return;
  const message = 'The record was changed since you read it, so nothing was stored: read it again, then change it';
  throw new AppError('precondition_failed', message);
}
