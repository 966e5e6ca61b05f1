import type { IntegrationConnection } from '../../db/integrations/index.ts';
import { parseForeignJson } from '../../domain/core/foreign-json.ts';
import { isShowable, isStorableText } from '../../domain/core/text.ts';
import { type IntegrationKind, integrationKind, type KindTest, type Secrets } from '../../domain/integrations/index.ts';
import type { GuardedResponse } from '../core/network/guarded-http.ts';
import { maskedSecrets } from '../core/masked-secrets.ts';
import { SecretMask } from '../core/secret-mask.ts';

/** What an answer to a test shows, in words for people that quote nothing of it but the name of the account. */
export interface Verdict {
  readonly error: string | null;
  readonly account?: string | undefined;
}

const MAX_ACCOUNT = 200;

/** Judges the answer of a service to a test of its credentials. */
export function judgeAnswer(
  { kind, testRequest }: Pick<IntegrationConnection, 'kind' | 'testRequest'>,
  answer: GuardedResponse,
  secrets: Secrets,
): Verdict {
  const { name, test } = integrationKind(kind);
  const request = test === 'sign_in' ? null : test;
  const service = request === null ? 'The service' : name;
  const isOnlyReached = request === null && testRequest === null;
  if (isOnlyReached && answer.status < 500) return { error: null };
  const error = answer.status === request?.okStatus ? null : wordsFor(answer.status, service);
  return error === null && request !== null ? judgeBody(integrationKind(kind), request, answer, secrets) : { error };
}

function judgeBody(
  { name, fields }: IntegrationKind,
  { account: path, isOkAt, textAt }: KindTest,
  answer: GuardedResponse,
  secrets: Secrets,
): Verdict {
  const json = [path, isOkAt, textAt].every((each) => each === undefined) ? undefined : jsonIn(answer);
  if (isOkAt !== undefined && memberAt(json, [isOkAt]) === false)
    return { error: `${name} has rejected the credentials` };
  const isOther = [path, textAt].some((each) => each !== undefined && !isText(memberAt(json, each)));
  if (isOther) return { error: `The answer is not ${name}'s; check the base_url` };
  if (path === undefined) return { error: null };
  const account = String(memberAt(json, path));
  const mask = new SecretMask(maskedSecrets({ fields }, secrets));
  const isHarmless = isShown(account) && mask.mask(account) === account;
  return { error: null, account: isHarmless ? account : undefined };
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function wordsFor(status: number, service: string): string | null {
  if (status < 300) return null;
  if (status < 400)
    return `The address redirects to another one (status ${status}); credentials are not sent there: check the base_url`;
  if (status === 401) return `${service} has rejected the credentials (status 401)`;
  if (status === 403) return `${service} does not let these credentials do what the test does (status 403)`;
  if (status === 404) return 'There is nothing at the address of the test (status 404): check the base_url';
  if (status === 429) return `${service} asks to wait before the next request (status 429)`;
  if (status >= 500) return `${service} had an internal error (status ${status})`;
  return `${service} has refused the request of the test (status ${status})`;
}

function jsonIn({ body, isTruncated }: GuardedResponse): unknown {
  if (isTruncated) return undefined;
  const json = parseForeignJson(body.toString(), { maxDepth: 20 });
  return 'issue' in json ? undefined : json.value;
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
    value,
  );
}

function isShown(account: string): boolean {
  return account.length <= MAX_ACCOUNT && isStorableText(account) && isShowable(account);
}
