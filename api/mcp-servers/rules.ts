import type { McpServer } from '../../db/mcp-servers/mcp-server.entity.ts';
import type { McpServerChanges } from '../../db/mcp-servers/mcp-servers.ts';
import { AppError } from '../../domain/core/app-error.ts';
import {
  type McpAuthType,
  type McpCatalog,
  type McpConfig,
  programKeyOf,
  readSecretHeader,
} from '../../domain/mcp-servers.ts';
import { baseUrlIssue } from '../../domain/network/host-names.ts';
import type { PrivateHosts } from '../../domain/network/addresses.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { fieldIssue } from '../http/problem.ts';

/** How a server is reached, and how it is shown who calls. */
interface ServerSetup {
  readonly url: string;
  readonly config: McpConfig;
  readonly authType: McpAuthType;
  readonly authValue: string | null;
}

/** The servers that are allowed. */
interface Reach {
  readonly privateHosts: PrivateHosts;
  /** The operator's programs. */
  readonly mcpCatalog: McpCatalog;
}

/** Rejects a server that could not be connected to, whatever it answers. */
export function checkNewServer(setup: ServerSetup, reach: Reach): void {
  checkAddresses(setup, reach);
  checkAuthorization(setup, setup.authValue !== null);
  checkAuthValue(setup.authType, setup.authValue);
}

/**
 * Rejects changes after which a server could not be connected to, and a new receiver of its secret without the secret:
 * somebody who redirects it must know it. Returns the changes, with the secret removed where the server needs none any
 * more.
 */
export function checkChanges(server: McpServer, changes: McpServerChanges, reach: Reach): McpServerChanges {
  const { url = server.url, config = server.config, authType = server.authType, authValue } = changes;
  checkAddresses({ url, config, authType }, reach);
  const endsAuth = authType === 'none' && changes.authType !== undefined && authValue === undefined;
  const made = endsAuth ? { ...changes, authValue: null } : changes;
  const isStored = server.authValue !== null;
  checkAuthorization({ config, authType }, made.authValue === undefined ? isStored : made.authValue !== null);
  if (made.authValue !== undefined) checkAuthValue(authType, made.authValue);
  else if (isStored) rejectOtherReceiver(server, { url, config, authType });
  return made;
}

function checkAddresses(
  { url, config, authType }: Pick<ServerSetup, 'url' | 'config' | 'authType'>,
  { privateHosts, mcpCatalog }: Reach,
): void {
  const key = programKeyOf(url);
  if (key !== undefined) return checkProgram(key, { config, authType }, mcpCatalog);
  const issue = baseUrlIssue(url, privateHosts);
  if (issue !== undefined) throw fieldIssue(['url'], issue);
  const issuer = config.oauth?.issuer;
  const issuerIssue = issuer === undefined ? undefined : baseUrlIssue(issuer, privateHosts);
  if (issuerIssue !== undefined) throw fieldIssue(['config', 'oauth', 'issuer'], issuerIssue);
}

function checkProgram(
  key: string,
  { config, authType }: Pick<ServerSetup, 'config' | 'authType'>,
  catalog: McpCatalog,
): void {
  const program = catalog.get(key);
  if (program === undefined) throw fieldIssue(['url'], 'names no program that this server offers');
  const other = (['headers', 'transport', 'oauth'] as const).find((name) => config[name] !== undefined);
  if (other !== undefined) throw fieldIssue(['config', other], 'must be left out for a program');
  const wanted = program.secretVariable === undefined ? 'none' : 'bearer';
  if (authType !== wanted) throw fieldIssue(['auth_type'], `must be ${wanted} for this program`);
}

function checkAuthorization({ authType, config }: Pick<ServerSetup, 'authType' | 'config'>, hasValue: boolean): void {
  if (authType === 'none' && hasValue) throw fieldIssue(['auth_value'], 'must be left out with the auth_type none');
  const { grant, client_id: clientId, issuer } = config.oauth ?? {};
  const isInteractive = authType === 'oauth' && grant === 'authorization_code';
  if (authType === 'oauth') checkClient({ isInteractive, clientId, issuer });
  if (authType === 'none' || hasValue) {
    if (isInteractive && hasValue && clientId === undefined)
      throw fieldIssue(['auth_value'], 'must be left out without a client_id: a client is registered');
    return;
  }
  if (!isInteractive) throw fieldIssue(['auth_value'], `is required with the auth_type ${authType}`);
}

interface OAuthClient {
  readonly isInteractive: boolean;
  readonly clientId: string | undefined;
  readonly issuer: string | undefined;
}

function checkClient({ isInteractive, clientId, issuer }: OAuthClient): void {
  if (isInteractive && clientId === undefined && issuer === undefined) return;
  if (clientId !== undefined && issuer !== undefined) return;
  const words = isInteractive
    ? 'must have client_id and issuer both, or neither: then a client is registered'
    : 'must have client_id and issuer, or the grant authorization_code, with which a person signs in';
  throw fieldIssue(['config', 'oauth'], words);
}

function checkAuthValue(authType: McpAuthType, authValue: string | null): void {
  if (authType === 'header' && authValue !== null && readSecretHeader(authValue) === undefined)
    throw fieldIssue(
      ['auth_value'],
      'must be a header such as "X-API-Key: value", and none of the connection or the protocol',
    );
}

function rejectOtherReceiver(
  server: McpServer,
  { url, config, authType }: Pick<ServerSetup, 'url' | 'config' | 'authType'>,
): void {
  const isSame =
    url === server.url &&
    authType === server.authType &&
    config.oauth?.issuer === server.config.oauth?.issuer &&
    config.oauth?.client_id === server.config.oauth?.client_id;
  if (!isSame)
    throw fieldIssue(['auth_value'], 'must be given again when url, auth_type or the client of config.oauth changes');
}

/** Rejects trusting a server with calls that nobody is asked about, unless the caller administers the organization. */
export function checkMayTrust({ policy }: Pick<OrgCaller, 'policy'>, trusted: boolean | undefined): void {
  if (trusted === true && !policyAllows(policy, 'settings.manage'))
    throw new AppError('forbidden', 'Only administrators can trust an MCP server');
}

/** Rejects having a program run as a server, unless the caller administers the organization. */
export function checkMayAddProgram({ policy }: Pick<OrgCaller, 'policy'>, url: string | undefined): void {
  if (url !== undefined && programKeyOf(url) !== undefined && !policyAllows(policy, 'settings.manage'))
    throw new AppError('forbidden', 'Only administrators can add an MCP server that is a program');
}

/**
 * Rejects changes that give trust, unless the caller administers the organization: another address is another server,
 * so the trust of the former one does not count for it.
 */
export function checkMayMoveTrust(
  caller: Pick<OrgCaller, 'policy'>,
  server: Pick<McpServer, 'url' | 'trusted'>,
  { url = server.url, trusted }: McpServerChanges,
): void {
  if (!server.trusted || url !== server.url) checkMayTrust(caller, trusted);
}
