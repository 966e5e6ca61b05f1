import { apiUrlOf } from '../../domain/integrations/address.ts';
import { integrationKind, type IntegrationKindKey } from '../../domain/integrations/kinds/index.ts';
import type {
  KnownIntegration,
  SecretPlace,
  Settings,
  TestRequest,
} from '../../domain/integrations/integration-kind.ts';
import { requestFields } from '../../domain/integrations/oauth.ts';
import { type CustomTool, inspectDefinition, integrationProblem } from '../../domain/tools/inspect-tool.ts';
import type { TenantDatabase } from '../core/database.ts';

/** The connection data of an integration; its secrets are still encrypted. */
export interface IntegrationConnection extends KnownIntegration {
  readonly id: string;
  readonly orgId: string;
  readonly kind: IntegrationKindKey;
  readonly credentials: Buffer;
  /** The tokens that requests are made with, still encrypted; null while there are none. */
  readonly granted: Buffer | null;
  readonly testRequest: TestRequest | null;
  /** Its settings that are not secret. */
  readonly settings: Settings;
  /** The variables in which commands find secrets, each with the name of its field. */
  readonly commandVariables: Readonly<Record<string, string>>;
  /** Changes with all of this but the name. */
  readonly connection: string;
}

/** An integration of an organization; integrations of another one are not touched. */
interface IntegrationRef {
  readonly orgId: string;
  readonly integrationId: string;
}

interface Row {
  readonly kind: IntegrationKindKey;
  readonly baseUrl: string | null;
  readonly name: string;
  readonly fields: readonly string[];
  readonly secretPlaces: readonly SecretPlace[];
}

type ConnectionRow = Row & Omit<IntegrationConnection, keyof KnownIntegration>;

/** The most integrations that an organization has, unless the operator allows more. */
const MAX_LISTED = 100;
const KNOWN =
  'i.kind, i.base_url as "baseUrl", i.name, i.credential_fields as fields, i.secret_places as "secretPlaces"';
const CONNECTION = `i.id, i.org_id as "orgId", i.credentials, i.granted, i.test_request as "testRequest", i.settings, i.command_variables as "commandVariables", i.connection, ${KNOWN}`;

/** Returns what requests with an integration are made from; undefined when there is none, as with a null id. */
export async function findConnection(
  { tenant }: TenantDatabase,
  { orgId, integrationId }: Pick<IntegrationRef, 'orgId'> & { readonly integrationId: string | null },
): Promise<IntegrationConnection | undefined> {
  if (integrationId === null) return undefined;
  const [row] = await tenant.query<ConnectionRow>(orgId, {
    name: 'find-integration',
    text: `select ${CONNECTION} from integrations i where i.org_id = $1 and i.id = $2`,
    values: [orgId, integrationId],
  });
  return row && withAddress(row);
}

/** Returns what requests with the integration of this name are made from; undefined when there is none. */
export async function findConnectionByName(
  { tenant }: TenantDatabase,
  orgId: string,
  name: string,
): Promise<IntegrationConnection | undefined> {
  const [row] = await tenant.query<ConnectionRow>(orgId, {
    name: 'find-integration-by-name',
    text: `select ${CONNECTION} from integrations i where i.org_id = $1 and lower(i.name) = lower($2)`,
    values: [orgId, name],
  });
  return row && withAddress(row);
}

/**
 * Returns what requests with the oldest integration of one of these kinds are made from; undefined when there is none.
 */
export async function findConnectionOfKind(
  { tenant }: TenantDatabase,
  orgId: string,
  kinds: readonly IntegrationKindKey[],
): Promise<IntegrationConnection | undefined> {
  const [row] = await tenant.query<ConnectionRow>(orgId, {
    name: 'find-integration-of-kind',
    text: `select ${CONNECTION} from integrations i where i.org_id = $1 and i.kind = any($2::text[]) order by i.id limit 1`,
    values: [orgId, kinds],
  });
  return row && withAddress(row);
}

/** Returns the kinds among the given ones of which the organization has an integration. */
export async function findKindsInUse(
  { tenant }: TenantDatabase,
  orgId: string,
  kinds: readonly IntegrationKindKey[],
): Promise<ReadonlySet<IntegrationKindKey>> {
  if (kinds.length === 0) return new Set();
  const rows = await tenant.query<{ readonly kind: IntegrationKindKey }>(orgId, {
    name: 'find-held-integration-kinds',
    text: 'select distinct i.kind from integrations i where i.org_id = $1 and i.kind = any($2::text[])',
    values: [orgId, kinds],
  });
  return new Set(rows.map(({ kind }) => kind));
}

/** Returns what requests with the integrations of these kinds are made from, oldest first. */
export async function listConnectionsOfKind(
  { tenant }: TenantDatabase,
  orgId: string,
  kinds: readonly IntegrationKindKey[],
): Promise<readonly IntegrationConnection[]> {
  const rows = await tenant.query<ConnectionRow>(orgId, {
    name: 'list-integrations-of-kind',
    text: `select ${CONNECTION} from integrations i
      where i.org_id = $1 and i.kind = any($2::text[]) order by i.id limit ${MAX_LISTED}`,
    values: [orgId, kinds],
  });
  return rows.map(withAddress);
}

/** Returns the integrations that go by these names, without their secrets, each by the name that was asked for. */
export async function findKnownIntegrations(
  { tenant }: TenantDatabase,
  orgId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, KnownIntegration>> {
  if (names.length === 0) return new Map();
  const rows = await tenant.query<Row & { readonly wanted: string }>(orgId, {
    name: 'find-known-integrations',
    text: `select w.name as wanted, ${KNOWN} from unnest($2::text[]) as w (name)
        join integrations i on i.org_id = $1 and lower(i.name) = lower(w.name)`,
    values: [orgId, [...new Set(names)]],
  });
  return new Map(rows.map(({ wanted, ...row }) => [wanted, withAddress(row)]));
}

function withAddress<T extends Row>({ baseUrl, ...row }: T): Omit<T, 'baseUrl'> & { readonly apiUrl: string } {
  const fields = requestFields(integrationKind(row.kind), row.fields);
  return { ...row, fields, apiUrl: apiUrlOf({ kind: row.kind, baseUrl }) };
}

/** The result of a request with an integration. */
interface IntegrationCheck {
  /** The connection that it was made with: what former credentials have shown is not stored. */
  readonly connection: string;
  /** Why it failed, for people, without secrets or text of the service; null when it did not. */
  readonly error: string | null;
  /** The account that the service has named, where it has. */
  readonly account?: string | undefined;
}

/** Records whether an integration works. A failure keeps the account that was named before. */
export async function noteCheck(
  { tenant }: TenantDatabase,
  { orgId, integrationId }: IntegrationRef,
  { connection, error, account }: IntegrationCheck,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'note-integration-check',
    text: `update integrations set checked_at = now(), error = $4, account = coalesce($5, account)
      where org_id = $1 and id = $2 and connection = $3`,
    values: [orgId, integrationId, connection, error, account ?? null],
  });
}

/**
 * Records that a tool has used an integration, and why its service has rejected the credentials, for people and without
 * secrets; null when it has accepted them. Written once a minute at most, while nothing changes.
 */
export async function noteUse(
  { tenant }: TenantDatabase,
  { orgId, id, connection }: Pick<IntegrationConnection, 'orgId' | 'id' | 'connection'>,
  error: string | null,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'note-integration-use',
    text: `update integrations set used_at = now(), checked_at = now(), error = $4
      where org_id = $1 and id = $2 and connection = $3
        and (used_at is null or used_at < now() - interval '1 minute' or checked_at is null or error is distinct from $4)`,
    values: [orgId, id, connection, error],
  });
}

/**
 * Finds out why tools cannot be used with the integrations that they name: words for people, by key, for those that
 * cannot. Nothing is read when none of them names one.
 */
export async function findIntegrationProblems(
  database: TenantDatabase,
  orgId: string,
  tools: readonly CustomTool[],
): Promise<ReadonlyMap<string, string>> {
  const naming = tools.flatMap((tool) => (tool.integration === undefined ? [] : [{ tool, name: tool.integration }]));
  const known = await findKnownIntegrations(
    database,
    orgId,
    naming.map(({ name }) => name),
  );
  const problems = naming.map(({ tool, name }) => [tool.key, integrationProblem(tool, known.get(name))] as const);
  return new Map(problems.flatMap(([key, problem]) => (problem === undefined ? [] : [[key, problem]])));
}

/** Finds out why tools cannot be used: words for people, by key, for those that cannot. */
export async function findToolProblems(
  database: TenantDatabase,
  orgId: string,
  tools: readonly Parameters<typeof inspectDefinition>[0][],
): Promise<ReadonlyMap<string, string>> {
  const inspected = tools.map((each) => ({ key: each.key, ...inspectDefinition(each) }));
  const runnable = inspected.flatMap((each) => ('tool' in each ? each.tool : []));
  const ofFiles = inspected.flatMap((each) => ('tool' in each ? [] : [[each.key, each.problem] as const]));
  return new Map([...ofFiles, ...(await findIntegrationProblems(database, orgId, runnable))]);
}
