import { type GoogleServiceAccount, readGoogleServiceAccount } from '../core/google-service-account.ts';
import { awsRegionOf } from './aws-region.ts';

/** How an account proves to its provider who calls, as read from its credentials. */
export type SignIn =
  /** Goes into the header that the wire format has for keys. */
  | { readonly type: 'api_key'; readonly apiKey: string }
  | { readonly type: 'access_token'; readonly accessToken: string }
  /** Signs each request. */
  | {
      readonly type: 'aws_keys';
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken: string | undefined;
      readonly region: string;
    }
  /** Is exchanged for an access token now and then. */
  | { readonly type: 'service_account'; readonly serviceAccount: GoogleServiceAccount };

/** The entries of credentials that make one way to sign in. */
interface SignInForm {
  readonly entries: readonly string[];
  readonly optional?: readonly string[];
}

const API_KEY: SignInForm = { entries: ['api_key'] };
const ACCESS_TOKEN: SignInForm = { entries: ['access_token'] };
const SERVICE_ACCOUNT: SignInForm = { entries: ['service_account_json'] };
const AWS_KEYS: SignInForm = {
  entries: ['access_key_id', 'secret_access_key'],
  optional: ['session_token', 'region'],
};
const FORMS: ReadonlyMap<string, readonly SignInForm[]> = new Map([
  ['amazon-bedrock', [API_KEY, AWS_KEYS]],
  ['azure', [API_KEY, ACCESS_TOKEN]],
  // An API key of Vertex AI is not for this endpoint: what stands under `api_key` is an access token.
  ['google-vertex', [SERVICE_ACCOUNT, ACCESS_TOKEN, API_KEY]],
]);

type Credentials = Readonly<Record<string, unknown>>;

/** What the way to sign in depends on beside the credentials. */
interface SignInPlace {
  readonly providerType: string;
  readonly baseUrl: string | null;
}

/**
 * Returns how an account signs in, or what is wrong with its credentials, in words that follow the name of the field.
 */
export function readSignIn(
  { providerType, baseUrl }: SignInPlace,
  credentials: Credentials,
): { readonly signIn: SignIn } | { readonly issue: string } {
  const special = FORMS.get(providerType);
  const forms = special ?? [API_KEY];
  const given = Object.keys(credentials);
  const form = forms.find(({ entries }) => entries.every((name) => given.includes(name)));
  if (form === undefined) return { issue: `must have ${namesOf(forms)}` };
  const surplus = given.find((name) => !form.entries.includes(name) && form.optional?.includes(name) !== true);
  // Where there is one way only, further entries have never been refused.
  if (special !== undefined && surplus !== undefined)
    return { issue: `must not have the entry ${surplus.slice(0, 100)} beside ${form.entries.join(' and ')}` };
  const unprintable = [...form.entries, ...(form.optional ?? [])].find((name) => !isValid(name, credentials[name]));
  if (unprintable !== undefined) return { issue: issueOf(unprintable) };
  return toSignIn(form, credentials, baseUrl);
}

function toSignIn(form: SignInForm, credentials: Credentials, baseUrl: string | null) {
  if (form === SERVICE_ACCOUNT) {
    const serviceAccount = readGoogleServiceAccount(credentials['service_account_json']);
    if (serviceAccount === undefined) return { issue: issueOf('service_account_json') };
    return { signIn: { type: 'service_account', serviceAccount } } as const;
  }
  const text = (name: string) => String(credentials[name]);
  if (form === ACCESS_TOKEN) return { signIn: { type: 'access_token', accessToken: text('access_token') } } as const;
  if (form === API_KEY) return { signIn: { type: 'api_key', apiKey: text('api_key') } } as const;
  const region = credentials['region'] === undefined ? awsRegionOf(baseUrl) : text('region');
  if (region === undefined) return { issue: 'must have the entry region: the base_url does not name one' };
  const sessionToken = credentials['session_token'] === undefined ? undefined : text('session_token');
  const keys = { accessKeyId: text('access_key_id'), secretAccessKey: text('secret_access_key'), sessionToken };
  return { signIn: { type: 'aws_keys', ...keys, region } } as const;
}

function namesOf(forms: readonly SignInForm[]): string {
  const [only] = forms;
  if (forms.length === 1) return `the entry ${only?.entries.join(' and ')}`;
  return forms.map(({ entries }) => entries.join(' and ')).join(', or ');
}

const PRINTABLE = /^[\x21-\x7e]{1,4096}$/;
const REGION = /^[a-z]{2}[a-z0-9-]{1,40}$/;

function isValid(name: string, value: unknown): boolean {
  if (name === 'service_account_json' || value === undefined) return true;
  if (typeof value !== 'string') return false;
  return name === 'region' ? REGION.test(value) : PRINTABLE.test(value);
}

function issueOf(name: string): string {
  if (name === 'region') return 'must name a region such as us-east-1 in the entry region';
  if (name === 'service_account_json')
    return 'must have the key file of a Google service account in the entry service_account_json, as its JSON text or its object';
  return `must have printable ASCII without blanks in the entry ${name}`;
}
