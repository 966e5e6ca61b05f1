import { SecretColumn } from '../core/index.ts';

/** A column whose secrets are encrypted with a key of `SECRET_KEY`. */
interface StoredSecret {
  /** What it belongs to, for people. */
  readonly kind: string;
  readonly table: string;
  readonly column: string;
  /** That which encrypts the column; its names never change. */
  readonly encryption: SecretColumn;
  /** The id that a secret is bound to. */
  readonly owner?: string;
  /** Set where rows end by themselves within a day. */
  readonly isPassing?: boolean;
}

const TARGET_OWNER = 'coalesce(chat_id, workflow_id, schedule_id)';

/** Every column of encrypted secrets. */
export const STORED_SECRETS: readonly StoredSecret[] = [
  {
    kind: 'provider accounts',
    table: 'provider_accounts',
    column: 'credentials',
    encryption: new SecretColumn('provider_accounts'),
  },
  {
    kind: 'integrations',
    table: 'integrations',
    column: 'credentials',
    encryption: new SecretColumn('integrations'),
  },
  {
    kind: 'sign-ins with integrations',
    table: 'integrations',
    column: 'granted',
    encryption: new SecretColumn('integrations', 'granted'),
  },
  { kind: 'MCP servers', table: 'mcp_servers', column: 'auth_value', encryption: new SecretColumn('mcp_servers') },
  {
    kind: 'sign-ins at MCP servers',
    table: 'mcp_servers',
    column: 'granted',
    encryption: new SecretColumn('mcp_servers', 'granted'),
  },
  {
    kind: 'webhooks of projects',
    table: 'projects',
    column: 'webhook_secret',
    encryption: new SecretColumn('projects'),
  },
  {
    kind: 'webhooks of workflows',
    table: 'agent_workflows',
    column: 'webhook_secret',
    encryption: new SecretColumn('agent-workflows', 'webhook-secret'),
  },
  {
    kind: 'outgoing webhooks',
    table: 'webhook_targets',
    column: 'secret',
    encryption: new SecretColumn('webhook-targets', 'secret'),
    owner: TARGET_OWNER,
  },
  {
    kind: 'former secrets of outgoing webhooks',
    table: 'webhook_targets',
    column: 'former_secret',
    encryption: new SecretColumn('webhook-targets', 'secret'),
    owner: TARGET_OWNER,
    isPassing: true,
  },
  {
    kind: 'sign-ins at providers under way',
    table: 'provider_sign_ins',
    column: 'code',
    encryption: new SecretColumn('provider_sign_ins'),
    isPassing: true,
  },
  {
    kind: 'sign-ins at providers that have ended',
    table: 'provider_sign_ins',
    column: 'credentials',
    encryption: new SecretColumn('provider_sign_ins'),
    isPassing: true,
  },
  {
    kind: 'sign-ins with integrations under way',
    table: 'integration_sign_ins',
    column: 'sealed',
    encryption: new SecretColumn('integration_sign_ins'),
    isPassing: true,
  },
  {
    kind: 'grants that are being ended',
    table: 'integration_revocations',
    column: 'sealed',
    encryption: new SecretColumn('integration_revocations'),
    isPassing: true,
  },
  {
    kind: 'sign-ins at MCP servers under way',
    table: 'mcp_sign_ins',
    column: 'sealed',
    encryption: new SecretColumn('mcp_sign_ins'),
    isPassing: true,
  },
];
