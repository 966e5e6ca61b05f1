import { type GoogleServiceAccount, readGoogleServiceAccount } from '../core/google-service-account.ts';
import {
  type CredentialEntry,
  type CredentialForm,
  credentialFormsOf,
  hasOwnForms,
  takenFormsOf,
} from './credential-forms.ts';

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

type Credentials = Readonly<Record<string, unknown>>;

/** What the sign-in depends on beside the credentials. */
interface SignInEndpoint {
  readonly providerType: string;
  readonly baseUrl: string | null;
}

/** An issue with credentials, in words that follow the name of the field. */
interface CredentialIssue {
  readonly issue: string;
  /** The entry that it is about, where it is about one of those that the way to sign in has. */
  readonly entry?: string;
}

/** Returns how an account signs in, or what is wrong with its credentials. */
export function readSignIn(
  { providerType, baseUrl }: SignInEndpoint,
  credentials: Credentials,
): { readonly signIn: SignIn } | CredentialIssue {
  const given = Object.keys(credentials);
  const forms = takenFormsOf(providerType);
  const form = forms.find(({ entries }) => entries.every(({ name, isOptional }) => isOptional || given.includes(name)));
  if (form === undefined) return missing(credentialFormsOf(providerType), given);
  const surplus = given.find((name) => !form.entries.some((entry) => entry.name === name));
  // Where there is one way only, further entries have never been refused.
  if (hasOwnForms(providerType) && surplus !== undefined)
    return { issue: `must not have the entry ${surplus.slice(0, 100)} beside ${requiredOf(form).join(' and ')}` };
  const wrong = form.entries.find((entry) => !isValid(entry, credentials[entry.name]));
  if (wrong !== undefined) return { issue: issueOf(wrong), entry: wrong.name };
  return toSignIn(form, credentials, baseUrl);
}

/** Reports what is missing, at the entry itself when some of the others were given. */
function missing(forms: readonly CredentialForm[], given: readonly string[]): CredentialIssue {
  const [only] = forms;
  const names = forms.map((form) => requiredOf(form).join(' and '));
  const issue = `must have ${forms.length === 1 ? 'the entry ' : ''}${names.join(', or ')}`;
  const begun = forms.length === 1 ? only : forms.find((form) => requiredOf(form).some((name) => given.includes(name)));
  const entry = begun && requiredOf(begun).find((name) => !given.includes(name));
  return entry === undefined ? { issue } : { issue, entry };
}

function toSignIn(form: CredentialForm, credentials: Credentials, baseUrl: string | null) {
  const text = (name: string) => String(credentials[name]);
  if (form.key === 'service_account') {
    const serviceAccount = readGoogleServiceAccount(credentials['service_account_json']);
    if (serviceAccount !== undefined) return { signIn: { type: 'service_account', serviceAccount } } as const;
    return { issue: KEY_FILE_ISSUE, entry: 'service_account_json' };
  }
  if (form.key === 'access_token')
    return { signIn: { type: 'access_token', accessToken: text('access_token') } } as const;
  if (form.key === 'api_key') return { signIn: { type: 'api_key', apiKey: text('api_key') } } as const;
  const region = credentials['region'] === undefined ? awsRegionOf(baseUrl) : text('region');
  if (region === undefined)
    return { issue: 'must have the entry region: the base_url does not name one', entry: 'region' };
  const sessionToken = credentials['session_token'] === undefined ? undefined : text('session_token');
  const keys = { accessKeyId: text('access_key_id'), secretAccessKey: text('secret_access_key'), sessionToken };
  return { signIn: { type: 'aws_keys', ...keys, region } } as const;
}

function requiredOf({ entries }: CredentialForm): string[] {
  return entries.filter(({ isOptional }) => isOptional !== true).map(({ name }) => name);
}

const PRINTABLE = /^[\x21-\x7e]{1,4096}$/;
const REGION = /^[a-z]{2}[a-z0-9-]{1,40}$/;
const KEY_FILE_ISSUE =
  'must have the key file of a Google service account in the entry service_account_json, as its JSON text or its object';

function isValid({ format }: CredentialEntry, value: unknown): boolean {
  if (format === 'google_key_file' || value === undefined) return true;
  if (typeof value !== 'string') return false;
  return format === 'region' ? REGION.test(value) : PRINTABLE.test(value);
}

function issueOf({ name, format }: CredentialEntry): string {
  if (format === 'region') return 'must name a region such as us-east-1 in the entry region';
  return `must have printable ASCII without blanks in the entry ${name}`;
}

const SERVICE = /^bedrock(?:-runtime)?(?:-fips)?$/;
const AWS_REGION = /^[a-z0-9-]+$/;
const DOMAIN = /^(?:vpce\.)?(?:amazonaws\.com(?:\.cn)?|api\.aws)$/;

/** Returns the region that an address of Amazon Bedrock names; undefined when it names none. */
function awsRegionOf(baseUrl: string | null): string | undefined {
  const host = /^https?:\/\/([^/:?#]+)/i.exec(baseUrl ?? '')?.[1];
  const parts = host?.toLowerCase().split('.') ?? [];
  const at = parts.findIndex((part) => SERVICE.test(part));
  const region = at === -1 ? undefined : parts[at + 1];
  const isRegional = region !== undefined && AWS_REGION.test(region) && DOMAIN.test(parts.slice(at + 2).join('.'));
  return isRegional ? region : undefined;
}

/** The result of a person's sign-in at the page of a provider. */
export interface SignInCode {
  readonly code: string;
  readonly state?: string | undefined;
}

/** Printable, and nothing that ends a line: it is typed into a program. */
const PART = /^[\x21-\x7e]{1,4096}$/;

/**
 * Reads what a person has copied: the bare code, `code#state`, or the whole address that they were sent back to.
 * Returns undefined for anything else, such as an address without a code.
 */
export function readSignInCode(copied: string): SignInCode | undefined {
  const text = copied.trim();
  const { code, state } = /^https?:\/\//i.test(text) ? inAddress(text) : beforeHash(text);
  if (code === undefined || !PART.test(code)) return undefined;
  if (state !== undefined && !PART.test(state)) return undefined;
  return { code, state };
}

/** Returns the state that the page of an address will give back; undefined when the address does not show it. */
export function stateOfAddress(address: string | null): string | undefined {
  return /[?&]state=(?<state>[^&#]*)/.exec(address ?? '')?.groups?.['state'];
}

interface Parts {
  readonly code: string | undefined;
  readonly state: string | undefined;
}

function inAddress(address: string): Parts {
  const query = address.split('#', 1)[0]?.split('?')[1] ?? '';
  const fields = new Map(query.split('&').map((field) => [field.split('=', 1)[0] ?? '', decoded(field)]));
  return { code: fields.get('code'), state: fields.get('state') };
}

function decoded(field: string): string | undefined {
  const value = field.slice(field.indexOf('=') + 1).replaceAll('+', ' ');
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

function beforeHash(text: string): Parts {
  const [code, state] = text.split('#');
  return { code, state };
}

/** The states of a sign-in at a provider. */
export const SIGN_IN_STATUSES = ['pending', 'awaiting_code', 'verifying', 'ready', 'failed', 'expired'] as const;

export type SignInStatus = (typeof SIGN_IN_STATUSES)[number];

/** How often a person may send a code in one sign-in. */
export const MAX_CODE_TRIES = 5;
