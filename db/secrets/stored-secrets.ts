import { workflowSecrets } from '../agent-workflows/index.ts';
import type { SecretColumn } from '../core/index.ts';
import {
  integrationGrants,
  integrationSecrets,
  integrationSignInSecrets,
  revocationSecrets,
} from '../integrations/index.ts';
import { mcpGrants, mcpServerSecrets, mcpSignInSecrets } from '../mcp-servers/index.ts';
import { projectSecrets } from '../projects/index.ts';
import { accountSecrets, providerSignInSecrets } from '../providers/index.ts';
import { signingSecrets } from '../webhooks/index.ts';

/** A column whose secrets are encrypted with a key of `SECRET_KEY`. */
interface StoredSecret {
  /** What it belongs to, for people. */
  readonly kind: string;
  readonly table: string;
  readonly column: string;
  /** That which its owner encrypts it with. */
  readonly encryption: SecretColumn;
  /** The id that a secret is bound to. */
  readonly owner?: string;
  /** Set where rows end by themselves within a day. */
  readonly isPassing?: boolean;
}

const TARGET_OWNER = 'coalesce(chat_id, workflow_id, schedule_id)';

/** Every column of encrypted secrets. */
export const STORED_SECRETS: readonly StoredSecret[] = [
  { kind: 'provider accounts', table: 'provider_accounts', column: 'credentials', encryption: accountSecrets },
  { kind: 'integrations', table: 'integrations', column: 'credentials', encryption: integrationSecrets },
  { kind: 'sign-ins with integrations', table: 'integrations', column: 'granted', encryption: integrationGrants },
  { kind: 'MCP servers', table: 'mcp_servers', column: 'auth_value', encryption: mcpServerSecrets },
  { kind: 'sign-ins at MCP servers', table: 'mcp_servers', column: 'granted', encryption: mcpGrants },
  { kind: 'webhooks of projects', table: 'projects', column: 'webhook_secret', encryption: projectSecrets },
  { kind: 'webhooks of workflows', table: 'agent_workflows', column: 'webhook_secret', encryption: workflowSecrets },
  {
    kind: 'outgoing webhooks',
    table: 'webhook_targets',
    column: 'secret',
    encryption: signingSecrets,
    owner: TARGET_OWNER,
  },
  {
    kind: 'former secrets of outgoing webhooks',
    table: 'webhook_targets',
    column: 'former_secret',
    encryption: signingSecrets,
    owner: TARGET_OWNER,
    isPassing: true,
  },
  {
    kind: 'sign-ins at providers under way',
    table: 'provider_sign_ins',
    column: 'code',
    encryption: providerSignInSecrets,
    isPassing: true,
  },
  {
    kind: 'sign-ins at providers that have ended',
    table: 'provider_sign_ins',
    column: 'credentials',
    encryption: providerSignInSecrets,
    isPassing: true,
  },
  {
    kind: 'sign-ins with integrations under way',
    table: 'integration_sign_ins',
    column: 'sealed',
    encryption: integrationSignInSecrets,
    isPassing: true,
  },
  {
    kind: 'grants that are being ended',
    table: 'integration_revocations',
    column: 'sealed',
    encryption: revocationSecrets,
    isPassing: true,
  },
  {
    kind: 'sign-ins at MCP servers under way',
    table: 'mcp_sign_ins',
    column: 'sealed',
    encryption: mcpSignInSecrets,
    isPassing: true,
  },
];
