import { workflowSecrets } from './agent-workflows/agent-workflows.ts';
import { channelSecrets } from './channels/channels.ts';
import type { Database } from './core/database.ts';
import { type SecretBox, type SecretColumn, UnreadableSecret } from './core/secret-box.ts';
import type { Transaction } from './core/transactions.ts';
import { pushKeySecrets } from './installation.ts';
import { integrationGrants } from './integrations/grants.ts';
import { integrationSecrets } from './integrations/integrations.ts';
import { integrationSignInSecrets } from './integrations/sign-ins.ts';
import { revocationSecrets } from './integrations/revocations.ts';
import { mcpGrants, mcpSignInSecrets } from './mcp-servers/sign-ins.ts';
import { mcpServerSecrets } from './mcp-servers/mcp-servers.ts';
import { projectSecrets } from './projects/projects.ts';
import { accountSecrets } from './providers/provider-accounts.ts';
import { providerSignInSecrets } from './providers/sign-ins.ts';
import { signingSecrets } from './webhooks/set-webhook.ts';

/** A column whose secrets are encrypted with a key of `SECRET_KEY`. */
interface StoredSecret {
  /** Its owner's kind, for people. */
  readonly kind: string;
  readonly table: string;
  readonly column: string;
  /** That which its owner encrypts it with. */
  readonly encryption: SecretColumn;
  /** The id that a secret is bound to. */
  readonly owner?: string;
  /** That of the organization that it is bound to. */
  readonly org?: string;
  /** Set where rows expire within a day. */
  readonly isPassing?: boolean;
}

const TARGET_OWNER = 'coalesce(chat_id, workflow_id, schedule_id, destination_id, turn_id)';

/** Every column of encrypted secrets. */
export const STORED_SECRETS: readonly StoredSecret[] = [
  { kind: 'provider accounts', table: 'provider_accounts', column: 'credentials', encryption: accountSecrets },
  { kind: 'integrations', table: 'integrations', column: 'credentials', encryption: integrationSecrets },
  { kind: 'sign-ins with integrations', table: 'integrations', column: 'granted', encryption: integrationGrants },
  { kind: 'MCP servers', table: 'mcp_servers', column: 'auth_value', encryption: mcpServerSecrets },
  { kind: 'sign-ins at MCP servers', table: 'mcp_servers', column: 'granted', encryption: mcpGrants },
  { kind: 'webhooks of projects', table: 'projects', column: 'webhook_secret', encryption: projectSecrets },
  { kind: 'webhooks of workflows', table: 'agent_workflows', column: 'webhook_secret', encryption: workflowSecrets },
  { kind: 'channels', table: 'channels', column: 'secret', encryption: channelSecrets },
  {
    kind: 'notifications of browsers',
    table: 'installation',
    column: 'push_key',
    encryption: pushKeySecrets,
    org: 'id',
  },
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

/** The secrets of one kind that were encrypted with one key. */
interface SecretsOfKey {
  readonly kind: string;
  /** The id of the key, in hexadecimal. */
  readonly keyId: string;
  readonly count: number;
}

/** The result of re-encrypting the secrets of a kind. */
interface EncryptedAnew {
  readonly kind: string;
  readonly encrypted: number;
  /** Those whose key is missing, or that are damaged: they stay as they are. */
  readonly unreadable: number;
}

/** Rows that are read at once. */
const BATCH = 200;

/** Counts all stored secrets by kind and key, on `database.system` or in a transaction of it. */
export async function countByKey(system: Transaction): Promise<SecretsOfKey[]> {
  const counts = STORED_SECRETS.map(
    ({ kind, table, column }) =>
      `select '${kind}' as kind, encode(substring(${column} from 1 for 4), 'hex') as "keyId", count(*)::int as count
        from ${table} where ${column} is not null group by 2`,
  );
  const { rows } = await system.query<SecretsOfKey>(`${counts.join(' union all ')} order by 1, 2`);
  return rows;
}

/**
 * Encrypts stored secrets with the first key of `SECRET_KEY` that were encrypted with another one, in batches. May run
 * while the service does, and continues where it was killed: a secret that was replaced in the meantime stays the new
 * one, and a renewal that is under way replaces what was re-encrypted.
 *
 * @param onBatch reports the progress of a kind after each batch.
 */
export async function encryptAnew(
  { system }: Pick<Database, 'system'>,
  box: SecretBox,
  onBatch: (progress: EncryptedAnew) => void = () => undefined,
): Promise<EncryptedAnew[]> {
  const done: EncryptedAnew[] = [];
  for (const stored of STORED_SECRETS) {
    const { kind } = stored;
    const progress = await encryptColumn(system, box, { ...stored, onBatch: (counts) => onBatch({ kind, ...counts }) });
    done.push({ kind, ...progress });
  }
  return done.filter(({ encrypted, unreadable }) => encrypted + unreadable > 0);
}

interface SealedSecret {
  readonly id: string;
  readonly orgId: string;
  readonly owner: string;
  readonly sealed: Buffer;
}

type Counts = Omit<EncryptedAnew, 'kind'>;

async function encryptColumn(
  system: Transaction,
  box: SecretBox,
  {
    table,
    column,
    encryption,
    owner = 'id',
    org = 'org_id',
    onBatch,
  }: StoredSecret & { onBatch: (counts: Counts) => void },
): Promise<Counts> {
  const [current = ''] = box.keyIds;
  let [encrypted, unreadable, after] = [0, 0, '00000000-0000-0000-0000-000000000000'];
  for (;;) {
    const { rows } = await system.query<SealedSecret>(
      `select id, ${org} as "orgId", ${owner} as owner, ${column} as sealed from ${table}
        where id > $1 and ${column} is not null and encode(substring(${column} from 1 for 4), 'hex') <> $2
        order by id limit ${BATCH}`,
      [after, current],
    );
    for (const { id, orgId, owner: ownerId, sealed } of rows) {
      const row = { orgId, id: ownerId };
      const secret = read(() => encryption.open(box, row, sealed));
      if (secret === undefined) unreadable += 1;
      else {
        const { rowCount } = await system.query(`update ${table} set ${column} = $3 where id = $1 and ${column} = $2`, [
          id,
          sealed,
          encryption.seal(box, row, secret),
        ]);
        encrypted += rowCount ?? 0;
      }
    }
    if (rows.length > 0) onBatch({ encrypted, unreadable });
    if (rows.length < BATCH) return { encrypted, unreadable };
    after = rows.at(-1)?.id ?? after;
  }
}

function read(open: () => string): string | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof UnreadableSecret) return undefined;
    throw error;
  }
}

/**
 * How many rows of each table are checked, newest first: a lost key shows in them, and a start must not read
 * everything.
 */
const MAX_ROWS = 10_000;

/**
 * Counts, among the newest secrets of each kind, those encrypted with a key that the box does not have, by what they
 * belong to. Kinds without any are left out.
 */
export async function countUnreadableSecrets(
  { system }: Pick<Database, 'system'>,
  box: SecretBox,
): Promise<Record<string, number>> {
  const { rows } = await system.query<{ kind: string; count: number }>(COUNT, [box.keyIds]);
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
}

const COUNT = `select kind, count(*)::int as count from (
    ${STORED_SECRETS.filter(({ isPassing }) => isPassing !== true)
      .map(
        ({ kind, table, column }) =>
          `(select '${kind}' as kind, ${column} as secret from ${table} where ${column} is not null order by id desc limit ${MAX_ROWS})`,
      )
      .join(' union all ')}
  ) secrets
  where encode(substring(secret from 1 for 4), 'hex') <> all($1::text[]) group by kind order by kind`;
