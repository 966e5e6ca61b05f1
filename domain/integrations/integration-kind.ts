/** A credential that an integration of a kind has. */
export interface CredentialField {
  readonly name: string;
  /** What it is and where to get it, for people. */
  readonly description: string;
  readonly isOptional?: true;
  /**
   * The format of its text: `token` (the default) is ASCII without blanks, `document` has many lines, `address` is a
   * web address that grants something to everybody who knows it, such as a webhook, `google_key_file` is the JSON of a
   * service account's key, and `kubeconfig` the YAML that says how a cluster is reached.
   */
  readonly format?: 'token' | 'text' | 'document' | 'address' | 'google_key_file' | 'kubeconfig';
  /** Set for what goes along with the secrets and is none, such as a user name: it is not masked in answers. */
  readonly isPlain?: true;
}

/** A setting of an integration that is not a credential. Everybody who may view integrations reads it. */
export interface SettingField {
  readonly name: string;
  readonly description: string;
  readonly isOptional?: true;
  /** The values that it may have; any unless given. */
  readonly values?: readonly string[];
}

/** How a request is authorized. */
export type Authorization =
  /** In a header, `Authorization: Bearer <field>` unless it says otherwise. */
  | { readonly in: 'header'; readonly field: string; readonly name?: string; readonly prefix?: string }
  /** In front of the path: the prefix, and the field after it. */
  | { readonly in: 'path'; readonly field: string; readonly prefix: string }
  /** As user name and password. */
  | { readonly in: 'basic'; readonly user: string; readonly password: string }
  /** Not at all, where the server may let everybody in. */
  | { readonly in: 'nothing' };

/** Something that a person who signs in may let agents do. */
interface OAuthScope {
  readonly name: string;
  /** What it permits agents to do. */
  readonly description: string;
  /** Set for those that are asked for unless others are chosen. */
  readonly isUsual?: true;
}

/** How people sign in at the services of a kind: OAuth 2.0 with an authorization code. */
export interface KindOAuth {
  /** Whole addresses; or paths below the web pages of a code host. */
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly revocationUrl?: string;
  /** Further parameters of the address that people sign in at. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly scopes: readonly OAuthScope[];
  /** Separates scopes in the address that people sign in at; a blank, as in RFC 6749, unless given. */
  readonly scopeSeparator?: ',';
  /** How the client shows its secret: as user name and password, or in the form. */
  readonly clientAuthentication: 'basic' | 'form';
  /** The field of the requests' credentials that contains the access token. */
  readonly tokenField: string;
}

/**
 * How an application has tokens for the services of a kind by its own credentials, `client_id` and `client_secret`:
 * OAuth 2.0 with the grant `client_credentials`. Nobody signs in.
 */
interface KindAppAccess {
  /** With `{tenant_id}` replaced by the credential of that name. */
  readonly tokenUrl: string;
  readonly scope: string;
  /** The credentials that tokens are requested with, and which no other request contains. */
  readonly fields: readonly string[];
  /** The field of the requests' credentials that contains the access token. */
  readonly tokenField: string;
}

/** A request that shows whether credentials work. */
export interface KindTest {
  readonly method?: 'GET' | 'POST';
  /** Below the address of the API; begins with a slash, unless it is empty. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** The names that lead to the account's name in the answer; an answer without it is not the service's. */
  readonly account?: readonly string[];
  /** The names that lead to a text in each answer; an answer without it is not the service's. */
  readonly textAt?: readonly string[];
  /** The name of a member that is `true` in each answer to credentials that work. */
  readonly isOkAt?: string;
  /** The status of the answer to credentials that work, where that is no success. */
  readonly okStatus?: number;
}

/** The schemes that an address may have where its kind says nothing else. */
export const WEB_SCHEMES: readonly string[] = ['https', 'http'];

/** The declaration of a kind of integrations. Another kind is another entry. */
export interface IntegrationKind {
  readonly name: string;
  readonly description: string;
  /** The address of the public service; null when each integration names one. */
  readonly baseUrl: string | null;
  /** The schemes that an address may have; https and http unless given. */
  readonly schemes?: readonly string[];
  /** What may follow the host of an address, without escapes and slashes around it; anything unless given. */
  readonly path?: { readonly pattern: RegExp; readonly issue: string };
  /** Where the API is below an address, unless the address ends in it. */
  readonly apiPath: string;
  /**
   * Other servers of the service, to which requests go without the authorization: by a name, and by the address of the
   * API that each belongs to. Beside any other address, such as that of a proxy, the one server answers for all.
   */
  readonly siblings?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The credentials it has; null when each integration chooses their names. */
  readonly fields: readonly CredentialField[] | null;
  /** Sets of fields of which one has to be complete, where the optional ones leave a choice; an empty one is none. */
  readonly alternatives?: readonly (readonly string[])[];
  /**
   * Fields of `alternatives` that may be given beside another set. Of all others one set only: with two of them it
   * would be open which one requests are made with.
   */
  readonly combinable?: readonly string[];
  readonly settings?: readonly SettingField[];
  /** The ways to authorize requests: the first one with all of its fields is used. */
  readonly authorization: readonly Authorization[];
  /** How people sign in, where they can. */
  readonly oauth?: KindOAuth;
  /** How an application has tokens, where it can. */
  readonly appAccess?: KindAppAccess;
  /** Headers of all requests. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The reasons in the errors of a 403 (`error.errors[].reason`) by which the service says that it is asked too often,
   * where it says so.
   */
  readonly limitReasons?: readonly string[];
  /** Where custom tools may put a secret. */
  readonly secretPlaces: readonly SecretPlace[];
  /**
   * How it is tested: by a request, or by signing in where a plain one does not do; null when each integration says so,
   * or it is only reached.
   */
  readonly test: KindTest | 'sign_in' | null;
}

/** The parts of a request that can contain a secret. */
export const SECRET_PLACES = ['header', 'query', 'path', 'body'] as const;

/** A part of a request that can contain a secret. */
export type SecretPlace = (typeof SECRET_PLACES)[number];

/** An integration without its secrets. */
export interface KnownIntegration {
  readonly name: string;
  /** The address that its secrets are sent to, and below. */
  readonly apiUrl: string;
  /** The names of the secrets that it has. */
  readonly fields: readonly string[];
  /** Where custom tools may put them. */
  readonly secretPlaces: readonly SecretPlace[];
}

/** The settings of an integration that are not secret, by the names that its kind declares. */
export type Settings = Readonly<Record<string, string>>;

/** The secrets of an integration, by the names of their fields. */
export type Secrets = Readonly<Record<string, string>>;

/** A GET request that shows whether the credentials of an integration work, with placeholders for them. */
export interface TestRequest {
  /** Below the address of the API; begins with a slash, unless it is empty. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}
