import { isDeepStrictEqual } from 'node:util';
import { parse as parseYaml } from 'yaml';
import type { Integration } from '../../db/integrations/integration.entity.ts';
import type { IntegrationChanges, IntegrationFields } from '../../db/integrations/integrations.ts';
import { readGoogleServiceAccount } from '../../domain/core/google-service-account.ts';
import { apiUrlOf, isWithin, readAddressPath } from '../../domain/integrations/address.ts';
import {
  type CredentialField,
  type IntegrationKind,
  type Secrets,
  WEB_SCHEMES,
} from '../../domain/integrations/integration-kind.ts';
import { integrationKind } from '../../domain/integrations/kinds/index.ts';
import { kubeconfigIssue, readKubeconfig } from '../../domain/integrations/kubeconfig.ts';
import { requestFields } from '../../domain/integrations/oauth.ts';
import { baseUrlIssue } from '../../domain/network/host-names.ts';
import type { PrivateHosts } from '../../domain/network/addresses.ts';
import { parseTestRequest } from '../../domain/tools/inspect-tool.ts';
import { fieldIssue } from '../http/problem.ts';

/** Variables that say how programs are run. */
const RESERVED = /^(?:PATH|HOME|LANG|ENV|BASH_ENV|IFS|NODE_OPTIONS)$|^(?:LD_|PYTHON)|_PROXY$/;

type Setup = Omit<IntegrationFields, 'name'>;

/** Rejects an integration that could not be used, or would send its secrets to an address that must not be reached. */
export function checkNewIntegration(
  setup: Setup & { readonly credentials: Secrets },
  privateHosts: PrivateHosts,
): void {
  checkAddress(setup, privateHosts);
  checkCredentials(integrationKind(setup.kind), setup.credentials);
  checkSettings(setup);
  checkLocations(setup);
  const fields = requestFields(integrationKind(setup.kind), Object.keys(setup.credentials));
  checkVariables(setup, fields);
  checkTestRequest(setup, fields);
}

/**
 * Rejects changes after which an integration could not be used. A new address, or another position of secrets in
 * requests, requires the secrets: somebody who redirects them must know them.
 */
export function checkChanges(integration: Integration, changes: IntegrationChanges, privateHosts: PrivateHosts): void {
  const setup = { ...setupOf(integration), ...changes };
  if (changes.baseUrl !== undefined) checkAddress(setup, privateHosts);
  if (changes.credentials !== undefined) checkCredentials(integrationKind(setup.kind), changes.credentials);
  else if (integration.credentialFields.length > 0) checkReach(integration, setup);
  checkSettings(setup);
  checkLocations(setup);
  const stored = changes.credentials === undefined ? integration.credentialFields : Object.keys(changes.credentials);
  const fields = requestFields(integrationKind(setup.kind), stored);
  checkVariables(setup, fields);
  checkTestRequest(setup, fields);
}

function checkReach(integration: Integration, setup: Setup): void {
  if (apiUrlOf(setup) !== apiUrlOf(integration))
    throw fieldIssue('credentials', 'must be given again when base_url changes');
  // They say what the credentials are used for: whose mailbox is opened, whether a connection is encrypted.
  if (!isDeepStrictEqual(setup.settings, integration.settings))
    throw fieldIssue('credentials', 'must be given again when settings change');
  if (!setup.secretPlaces.every((location) => integration.secretPlaces.includes(location)))
    throw fieldIssue('credentials', 'must be given again when a place is added to secret_places');
  const given = Object.entries(setup.commandVariables);
  if (!given.every(([variable, field]) => integration.commandVariables[variable] === field))
    throw fieldIssue('credentials', 'must be given again when command_variables gets another variable');
}

function setupOf({ kind, baseUrl, settings, secretPlaces, commandVariables, testRequest }: Integration): Setup {
  return { kind, baseUrl, settings, secretPlaces, commandVariables, testRequest };
}

function checkAddress({ kind, baseUrl }: Setup, privateHosts: PrivateHosts): void {
  const rules = integrationKind(kind);
  const { baseUrl: usual, schemes = WEB_SCHEMES } = rules;
  if (baseUrl === null) {
    if (usual === null) throw fieldIssue('base_url', 'is required for this kind');
    return;
  }
  const issue = baseUrl.includes('?') ? 'must not contain a query (?)' : baseUrlIssue(baseUrl, privateHosts, schemes);
  if (issue !== undefined) throw fieldIssue('base_url', issue);
  const read = readAddressPath(rules, new URL(baseUrl));
  if ('issue' in read) throw fieldIssue('base_url', read.issue);
}

function checkSettings({ kind, settings }: Setup): void {
  const { settings: known = [] } = integrationKind(kind);
  const names = known.map(({ name }) => name);
  const unknown = Object.keys(settings).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw fieldIssue(
      ['settings', unknown],
      names.length === 0 ? 'is unknown to this kind' : `is none of ${names.join(', ')}`,
    );
  for (const { name, isOptional, values } of known) {
    const value = settings[name];
    if (value === undefined && isOptional !== true) throw fieldIssue(['settings', name], 'is required for this kind');
    if (value !== undefined && values?.includes(value) === false)
      throw fieldIssue(['settings', name], `must be one of ${values.join(', ')}`);
  }
}

function checkLocations({ kind, secretPlaces }: Setup): void {
  const allowed = integrationKind(kind).secretPlaces;
  if (!secretPlaces.every((location) => allowed.includes(location)))
    throw fieldIssue('secret_places', `must contain nothing but ${allowed.join(', ')} for this kind`);
}

function checkVariables({ commandVariables }: Setup, fields: readonly string[]): void {
  const unset = Object.values(commandVariables).find((field) => !fields.includes(field));
  if (unset !== undefined) throw fieldIssue('command_variables', `names the credential ${unset}, which is not set`);
  const reserved = Object.keys(commandVariables).find((variable) => RESERVED.test(variable));
  if (reserved !== undefined) throw fieldIssue('command_variables', `must not set ${reserved}`);
}

function checkTestRequest(setup: Setup, fields: readonly string[]): void {
  const { testRequest } = setup;
  if (testRequest === null) return;
  if (integrationKind(setup.kind).test !== null) throw fieldIssue('test_request', 'must be left out for this kind');
  const apiUrl = apiUrlOf(setup);
  const template = parseTestRequest(apiUrl, testRequest);
  if ('issue' in template) throw fieldIssue('test_request', template.issue);
  const unset = template.value.secrets.find(({ field }) => !fields.includes(field));
  if (unset !== undefined) throw fieldIssue('test_request', `names the credential ${unset.field}, which is not set`);
  if (!isWithin(apiUrl, `${apiUrl}${testRequest.path}`)) throw fieldIssue('test_request', 'must stay below base_url');
}

/** A shorter secret occurs in unrelated text of answers, so it could not be masked there. */
const MIN_SECRET = 4;
const MAX_TEXT = 8_192;

const FORMATS = {
  token: { pattern: /^[\x21-\x7e]+$/, issue: 'must be printable ASCII without blanks' },
  text: { pattern: /^[^\p{Cc}]+$/u, issue: 'must be one line without control characters' },
  address: { pattern: /^https:\/\/[\x21-\x7e]+$/, issue: 'must be an address that begins with https://' },
  document: { pattern: /^[^\0]+$/, issue: 'must not contain null characters' },
  google_key_file: { pattern: /^[^\0]+$/, issue: 'must not contain null characters' },
  kubeconfig: { pattern: /^[^\0]+$/, issue: 'must not contain null characters' },
} as const;
const LONG: ReadonlySet<string> = new Set(['document', 'google_key_file', 'kubeconfig']);

/** Rejects credentials with which an integration of this kind could not be used. */
function checkCredentials(kind: IntegrationKind, credentials: Secrets): void {
  const { fields } = kind;
  const given = Object.keys(credentials);
  if (fields === null) {
    if (given.length === 0) throw fieldIssue('credentials', 'must contain a field');
    for (const [name, value] of Object.entries(credentials)) checkLength(name, value, MAX_TEXT);
    return;
  }
  const isKnown = given.every((name) => fields.some((field) => field.name === name));
  const isComplete = fields.every(({ name, isOptional }) => isOptional === true || given.includes(name));
  if (!isKnown || !isComplete) throw fieldIssue('credentials', requirement(fields));
  checkAlternatives(kind, given);
  for (const field of fields) checkField(field, credentials[field.name]);
}

function checkAlternatives({ alternatives = [], combinable = [] }: IntegrationKind, given: readonly string[]): void {
  if (alternatives.length === 0) return;
  const complete = alternatives.filter((names) => names.every((name) => given.includes(name)));
  const isHalf = (name: string) =>
    alternatives.some((names) => names.includes(name)) && !complete.some((names) => names.includes(name));
  const isExclusive = (names: readonly string[]) => names.some((name) => !combinable.includes(name));
  if (complete.length > 0 && complete.filter(isExclusive).length <= 1 && !given.some(isHalf)) return;
  const choices = alternatives.map((names) => (names.length === 0 ? 'nothing' : names.join(' and ')));
  const isOneOnly = !alternatives.some((names) => names.length > 0 && !isExclusive(names));
  throw fieldIssue('credentials', `must contain ${isOneOnly ? 'either ' : ''}${choices.join(', or ')}`);
}

function requirement(fields: readonly CredentialField[]): string {
  if (fields.length === 0) return 'must be empty';
  const names = (isOptional: boolean) =>
    fields.filter((field) => (field.isOptional === true) === isOptional).map(({ name }) => name);
  const [required, optional] = [names(false), names(true)];
  if (optional.length === 0) return `must contain ${required.join(', ')} and nothing else`;
  const more = `${required.length === 0 ? '' : ' beside these'} at most ${optional.join(', ')}`;
  return required.length === 0 ? `must contain${more}` : `must contain ${required.join(', ')}, and${more}`;
}

function checkField({ name, format = 'token', isPlain }: CredentialField, value: string | undefined): void {
  if (value === undefined) return;
  const { pattern, issue } = FORMATS[format];
  if (!pattern.test(value)) throw fieldIssue(['credentials', name], issue);
  if (format === 'google_key_file' && readGoogleServiceAccount(value) === undefined)
    throw fieldIssue(['credentials', name], 'must be the JSON key file of a Google service account');
  if (format === 'kubeconfig') checkKubeconfig(name, value);
  if (isPlain !== true) checkLength(name, value, LONG.has(format) ? Number.POSITIVE_INFINITY : MAX_TEXT);
}

function checkKubeconfig(name: string, value: string): void {
  const file = readKubeconfig(value, parseYaml);
  const issue = file === undefined ? 'must be JSON, or YAML in block style' : kubeconfigIssue(file);
  if (issue !== undefined) throw fieldIssue(['credentials', name], issue);
}

function checkLength(name: string, value: string, most: number): void {
  if (value.length < MIN_SECRET) throw fieldIssue(['credentials', name], `must have at least ${MIN_SECRET} characters`);
  if (value.length > most) throw fieldIssue(['credentials', name], `must have at most ${most} characters`);
}
