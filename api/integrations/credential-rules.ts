import { parse as parseYaml } from 'yaml';
import {
  type CredentialField,
  type IntegrationKind,
  kubeconfigIssue,
  readKubeconfig,
  type Secrets,
} from '../../domain/integrations/index.ts';
import { readGoogleServiceAccount } from '../../domain/core/google-service-account.ts';
import { fieldIssue } from '../http/problem.ts';

/** What is shorter is found in answers that have nothing to do with it, so it could not be masked there. */
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
export function checkCredentials(kind: IntegrationKind, credentials: Secrets): void {
  const { fields } = kind;
  const given = Object.keys(credentials);
  if (fields === null) {
    if (given.length === 0) throw fieldIssue('credentials', 'must hold a field');
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
  throw fieldIssue('credentials', `must hold ${isOneOnly ? 'either ' : ''}${choices.join(', or ')}`);
}

function requirement(fields: readonly CredentialField[]): string {
  if (fields.length === 0) return 'must be empty';
  const names = (isOptional: boolean) =>
    fields.filter((field) => (field.isOptional === true) === isOptional).map(({ name }) => name);
  const [required, optional] = [names(false), names(true)];
  if (optional.length === 0) return `must hold ${required.join(', ')} and nothing else`;
  const more = `${required.length === 0 ? '' : ' beside these'} at most ${optional.join(', ')}`;
  return required.length === 0 ? `must hold${more}` : `must hold ${required.join(', ')}, and${more}`;
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
