import { publicPartOf, type TokenPrefix } from '../access/token-value.ts';
import { escapeHtml } from './html-page.ts';

/** A link with a token, as it was opened. */
export interface OpenedLink {
  /** The address of this instance, without a trailing slash. */
  readonly publicUrl: string;
  /** The token in the link; anybody can make a link, so it may be any text. */
  readonly token: unknown;
}

/** The placeholder for a missing token. */
const NO_TOKEN = 'THE_TOKEN';

/** Returns the token of a link, or the placeholder when there is none. */
export function tokenOf({ token }: OpenedLink, prefix: TokenPrefix): string {
  return typeof token === 'string' && publicPartOf(prefix, token) !== undefined ? token : NO_TOKEN;
}

/** Returns the sentence that says where to put the token, when the link holds none. */
export function missingToken(token: string, prefix: TokenPrefix): string {
  if (token !== NO_TOKEN) return '';
  return ` Put its token, which begins with <code>${prefix}_</code>, where <code>${NO_TOKEN}</code> stands.`;
}

/** Returns a command line as HTML. */
export function command(text: string): string {
  return `<pre><code>${escapeHtml(text)}</code></pre>`;
}

/** Returns the command line, as HTML, that posts a body to a route of this instance. */
export function postCommand(address: string, body: object, ...headers: string[]): string {
  const lines = ['content-type: application/json', ...headers].map((header) => ` -H "${header}"`).join('');
  return command(`curl -X POST ${address}${lines} -d @- <<'JSON'\n${JSON.stringify(body)}\nJSON`);
}
