import { z } from 'zod';
import { parseJsonText } from '../core/objects.ts';

/** How a context of a kubeconfig reaches its cluster. PEM is decoded to text. */
export interface ClusterAccess {
  /** Its address, without slashes at its end. */
  readonly server: string;
  readonly namespace: string | undefined;
  readonly token: string | undefined;
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/** The access, or why there is none. */
type ReadAccess = { readonly access: ClusterAccess } | { readonly issue: string };

/**
 * Entries that name programs, files or other resources of the machine that it was written on; none of them is followed.
 */
const BANNED: ReadonlySet<string> = new Set([
  'exec',
  'auth-provider',
  'tokenFile',
  'token-file',
  'client-certificate',
  'client-key',
  'certificate-authority',
  'proxy-url',
  'tls-server-name',
  'username',
  'password',
  'as',
  'as-uid',
  'as-groups',
  'as-user-extra',
]);

const name = z.string().max(500);
const pem = z.base64().max(40_000);
const fileSchema = z.object({
  clusters: z
    .array(
      z.object({
        name,
        cluster: z.looseObject({
          server: z.string().max(2_000),
          'certificate-authority-data': pem.optional(),
          'insecure-skip-tls-verify': z.boolean().optional(),
        }),
      }),
    )
    .max(100),
  users: z
    .array(
      z.object({
        name,
        user: z.looseObject({
          token: z
            .string()
            .max(8_192)
            .regex(/^[\x21-\x7e]+$/)
            .optional(),
          'client-certificate-data': pem.optional(),
          'client-key-data': pem.optional(),
        }),
      }),
    )
    .max(100),
  contexts: z
    .array(z.object({ name, context: z.looseObject({ cluster: name, user: name, namespace: name.optional() }) }))
    .max(100),
  'current-context': name.optional(),
});

const secretsSchema = z.object({
  users: z.array(
    z.object({
      user: z.object({ token: z.string(), 'client-key-data': z.string(), password: z.string() }).partial().default({}),
    }),
  ),
});

type KubeconfigFile = z.output<typeof fileSchema>;

/** Returns why a kubeconfig, as its YAML says it, cannot be used; undefined when it can. */
export function kubeconfigIssue(file: unknown): string | undefined {
  const { data, error } = fileSchema.safeParse(file);
  if (data === undefined)
    return `is not a kubeconfig with clusters, users and contexts (at "${error.issues[0]?.path.join('.') ?? ''}")`;
  const parts = [...data.clusters.map(({ cluster }) => cluster), ...data.users.map(({ user }) => user)];
  const banned = parts.flatMap((part) => Object.keys(part)).find((key) => BANNED.has(key));
  if (banned !== undefined)
    return `names ${banned}; programs, files, proxies, passwords, tls-server-name and impersonation are not used: give a token or certificates in the file itself`;
  if (data.clusters.some(({ cluster }) => cluster['insecure-skip-tls-verify'] === true))
    return 'has insecure-skip-tls-verify; give certificate-authority-data instead';
  return data.contexts.length === 0 ? 'has no context' : undefined;
}

/** Returns how a kubeconfig says that a cluster is reached, by one of its contexts: the current one unless given. */
export function accessByKubeconfig(file: unknown, wanted: string | undefined): ReadAccess {
  const issue = kubeconfigIssue(file);
  if (issue !== undefined) return { issue: `The kubeconfig ${issue}` };
  const data = fileSchema.parse(file);
  const context = contextOf(data, wanted);
  if (context === undefined) {
    const names = data.contexts.map((each) => each.name).join(', ');
    return { issue: `The kubeconfig has no context ${wanted ?? 'that is the current one'}; it has ${names}` };
  }
  const cluster = data.clusters.find((each) => each.name === context.cluster)?.cluster;
  const user = data.users.find((each) => each.name === context.user)?.user;
  if (cluster === undefined || user === undefined)
    return { issue: 'The context of the kubeconfig names a cluster or a user that is not in it' };
  return {
    access: {
      server: withoutSlash(cluster.server),
      namespace: context.namespace,
      token: user.token,
      ca: decoded(cluster['certificate-authority-data']),
      cert: decoded(user['client-certificate-data']),
      key: decoded(user['client-key-data']),
    },
  };
}

/** Returns what is secret in a kubeconfig, of all its users; undefined when it is none. */
export function kubeconfigSecrets(file: unknown): readonly string[] | undefined {
  const { data } = secretsSchema.safeParse(file);
  return data?.users.flatMap(({ user: { token, 'client-key-data': key, password } }) =>
    [token, ...(key === undefined ? [] : keySecrets(key)), password].filter((each) => each !== undefined),
  );
}

function keySecrets(base64: string): readonly string[] {
  const { data } = z.base64().safeParse(base64);
  return data === undefined ? [base64] : pemSecrets(atob(data));
}

function contextOf(data: KubeconfigFile, wanted: string | undefined) {
  const named = wanted ?? data['current-context'];
  const [only, another] = data.contexts;
  if (named === undefined || named === '') return another === undefined ? only?.context : undefined;
  return data.contexts.find((each) => each.name === named)?.context;
}

function decoded(base64: string | undefined): string | undefined {
  return base64 === undefined ? undefined : atob(base64);
}

function withoutSlash(address: string): string {
  return address.endsWith('/') ? address.slice(0, -1) : address;
}

/**
 * The most of what makes the parser slow, each far beyond what a kubeconfig of its length has: lines, what opens an
 * entry, brackets and commas, quotes, and all other marks with a meaning.
 */
const BOUNDS: readonly (readonly [pattern: RegExp, most: number])[] = [
  [/[\r\n]/g, 500],
  [/\t/g, 0],
  [/[-?:](?=\s)/g, 800],
  [/[[\]{},]/g, 100],
  [/["']/g, 800],
  [/[&*!|>%@`?#]/g, 50],
];
const MAX_ENTRIES_OF_LINE = 8;

// Anchors are not followed: a few of them would become a lot.
const OPTIONS = { schema: 'core', maxAliasCount: 0, logLevel: 'error', prettyErrors: false } as const;

/** Parses YAML as the package `yaml` does. Throws when it is none. */
type ParseYaml = (text: string, options: typeof OPTIONS) => unknown;

/**
 * Returns what a kubeconfig says, undefined when it is neither JSON nor YAML in block style. What could take the parser
 * long is refused before: it has all else of the process wait.
 */
export function readKubeconfig(text: string, parseYaml: ParseYaml): unknown {
  return parseJsonText(text) ?? (isPlain(text) ? readYaml(text, parseYaml) : undefined);
}

function readYaml(text: string, parseYaml: ParseYaml): unknown {
  try {
    return parseYaml(text, OPTIONS);
  } catch {
    return undefined;
  }
}

function isPlain(text: string): boolean {
  const isBounded = BOUNDS.every(([pattern, most]) => countOf(text, pattern) <= most);
  // Those of one line are nested in each other.
  return isBounded && text.split(/[\r\n]/).every((line) => countOf(line, /[-?:](?: |$)/g) <= MAX_ENTRIES_OF_LINE);
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** Lines shorter than this are found in texts that have nothing to do with a key. */
const MIN_LINE = 16;
const FRAME = /^-----(?:BEGIN|END) [A-Z\d ]{1,60}-----$/;
const BASE64 = /^[A-Za-z\d+/]+={0,2}$/;

/**
 * Returns what is secret of a key in PEM: its lines of Base64, and all of them as they follow each other. The lines
 * around them, which each key and certificate has, are none. Of a text that is no PEM all is.
 */
export function pemSecrets(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim());
  const secret = lines.filter((line) => BASE64.test(line));
  const long = secret.filter((line) => line.length >= MIN_LINE);
  if (long.length === 0 || !lines.some((line) => FRAME.test(line))) return [text];
  return [secret.join('\n'), ...long];
}
