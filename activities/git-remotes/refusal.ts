/** Why a repository cannot be reached, in words for the model. */
export interface Refusal {
  readonly kind: 'denied' | 'not_found' | 'rate_limited' | 'timeout' | 'upstream';
  readonly message: string;
}

/** The credentials of an integration for a repository. */
export interface Credentials {
  /** The name of the integration. */
  readonly name: string;
  /** Sends a request with the header that they add; with renewed ones once more after a 401, if it may be repeated. */
  send(
    request: (header: Readonly<Record<string, string>>) => Promise<Response>,
    options: { readonly mayRepeat: boolean },
  ): Promise<Response>;
  /** Returns why they could not be renewed, in words for people; undefined when that was not tried, or did succeed. */
  whyNotRenewed(): string | undefined;
}

/** An answer of a server that is not what git has asked for. */
interface Answered {
  readonly url: string;
  readonly access: 'fetch' | 'push';
  readonly status: number;
  /** Those that were tried. */
  readonly credentials: readonly Credentials[];
  /** The address of the repository that the server redirects to. */
  readonly movedTo: string | undefined;
}

/** Statuses by which hosts say that credentials are not enough: many hide that such a repository exists. */
export const OTHERS_MAY: ReadonlySet<number> = new Set([401, 403, 404]);

/** Explains why the server refuses a request, and what to do. */
export function refusalOf({ url, access, status, credentials, movedTo }: Answered): Refusal {
  const { host, origin } = new URL(url);
  const said = `${host} answers with the status ${status}`;
  if (movedTo !== undefined && URL.parse(movedTo)?.origin === origin)
    return { kind: 'not_found', message: `The repository has moved: use ${movedTo.slice(0, 500)}` };
  if (status >= 300 && status < 400)
    return { kind: 'denied', message: `${said}, a redirect to another address; credentials are not sent there` };
  if (OTHERS_MAY.has(status)) {
    const what = access === 'push' ? 'may not be pushed to' : 'does not exist, or may not be read';
    const kind = status === 404 ? 'not_found' : 'denied';
    return { kind, message: `The repository ${url} ${what} (status ${status}). ${howTo(host, access, credentials)}` };
  }
  if (status === 429) return { kind: 'rate_limited', message: `${said}: wait before the next try` };
  if (status === 200)
    return { kind: 'not_found', message: `${url} is no repository that git can reach over https (no smart protocol)` };
  return { kind: 'upstream', message: said };
}

function howTo(host: string, access: 'fetch' | 'push', credentials: readonly Credentials[]): string {
  const right = access === 'push' ? 'write to' : 'read';
  const failures = credentials.flatMap((each) => each.whyNotRenewed() ?? []);
  const names = credentials.filter((each) => each.whyNotRenewed() === undefined).map(({ name }) => `"${name}"`);
  const tried = `The credentials of ${names.join(', ')} were tried: their token must be allowed to ${right} this repository`;
  if (credentials.length > 0) return [...failures, ...(names.length > 0 ? [tried] : [])].join('. ');
  return (
    `There are no credentials for ${host}: somebody who may manage integrations can add an integration of the kind ` +
    `github, gitlab, gitea or git with its address and a token that may ${right} this repository`
  );
}
