import { escapeHtml } from '../domain/core/text.ts';
import { publicPartOf, type TokenPrefix } from './access/tokens.ts';
import type { CallbackAnswer } from './integrations/oauth/answer-callback.ts';

interface HtmlPage {
  readonly title: string;
  /** HTML for the head, beside the title and the style. */
  readonly head?: string;
  /** HTML. */
  readonly body: string;
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;margin:0;color:#1b1f24;background:#fff}
main{max-width:70rem;margin:0 auto;padding:2rem 1rem}table{border-collapse:collapse;width:100%}
td{border-top:1px solid #d8dee4;padding:.4rem .6rem;vertical-align:top}td:first-child{width:4rem;font-weight:600}
code,pre{font:14px/1.5 ui-monospace,monospace}pre{background:#f6f8fa;padding:.8rem;overflow-x:auto}
.access{color:#57606a;white-space:nowrap}`;

/** Renders an HTML page that loads nothing but what its head names. */
export function htmlPage({ title, head = '', body }: HtmlPage): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}</style>${head}</head>
<body>${body}</body></html>`;
}

/** A link with a token, as it was opened. */
interface OpenedLink {
  /** The address of this instance, without a trailing slash. */
  readonly publicUrl: string;
  /** The token in the link; anybody can make a link, so it may be any text. */
  readonly token: unknown;
}

/** The placeholder for a missing token. */
const NO_TOKEN = 'THE_TOKEN';

/** Returns the token of a link, or the placeholder when there is none. */
function tokenOf({ token }: OpenedLink, prefix: TokenPrefix): string {
  return typeof token === 'string' && publicPartOf(prefix, token) !== undefined ? token : NO_TOKEN;
}

/** Returns the sentence that says where to put the token, when the link contains none. */
function missingToken(token: string, prefix: TokenPrefix): string {
  if (token !== NO_TOKEN) return '';
  return ` Put its token, which begins with <code>${prefix}_</code>, where <code>${NO_TOKEN}</code> stands.`;
}

/** Returns a command line as HTML. */
function command(text: string): string {
  return `<pre><code>${escapeHtml(text)}</code></pre>`;
}

/** Returns the command line, as HTML, that posts a body to a route of this instance. */
function postCommand(address: string, body: object, ...headers: string[]): string {
  const lines = ['content-type: application/json', ...headers].map((header) => ` -H "${header}"`).join('');
  return command(`curl -X POST ${address}${lines} -d @- <<'JSON'\n${JSON.stringify(body)}\nJSON`);
}

/**
 * Renders the page behind the link of an invite: how to redeem it. The page is the same whether or not the invite
 * exists; nothing is looked up.
 */
export function joinPage(link: OpenedLink): string {
  const { publicUrl } = link;
  const token = tokenOf(link, 'et_inv');
  const account = { email: 'you@example.com', password: 'a password of your own', full_name: 'Your Name' };
  return htmlPage({
    title: 'Join an organization',
    body: `<main><h1>You are invited</h1>
<p>You have been invited to an organization on this Everturn server. An invite works once, within seven
days.${missingToken(token, 'et_inv')}</p>
<h2>See what it is for</h2>${command(`curl ${publicUrl}/api/orgs/invite/${token}`)}
<h2>If you have no account here</h2>
<p>This creates one, which the organization manages. An invite for one address accepts that address only.</p>
${postCommand(`${publicUrl}/api/auth/register`, { ...account, invite_token: token })}
<h2>If you have an account</h2>
<p>Sign in with <code>POST /api/auth/login</code>, then join with the access token in its response:</p>
${postCommand(`${publicUrl}/api/orgs/accept-invite`, { token }, 'authorization: Bearer $ACCESS_TOKEN')}
<h2>To sign a device in</h2>
<p>With an invite for one address. The response contains a token for the device and an API key.</p>
${postCommand(`${publicUrl}/api/auth/cli/redeem`, { token, device_name: 'laptop', platform: 'Linux' })}
<p>All requests and responses: <a href="/docs">/docs</a>.</p></main>`,
  });
}

/**
 * Renders the page behind a password link: how to set the password. The page is the same whether or not the link is
 * valid; nothing is looked up.
 */
export function setPasswordPage(link: OpenedLink): string {
  const token = tokenOf(link, 'et_pwd');
  return htmlPage({
    title: 'Set a password',
    body: `<main><h1>Set a password</h1>
<p>An administrator of your organization on this Everturn server created this link for you. It works once, within 24
hours.${missingToken(token, 'et_pwd')}</p>
${postCommand(`${link.publicUrl}/api/auth/password`, { token, password: 'a password of your own' })}
<p>You are then signed out everywhere; sign in with <code>POST /api/auth/login</code>.</p>
<p>All requests and responses: <a href="/docs">/docs</a>.</p></main>`,
  });
}

/**
 * Renders the page that the authorization server of an MCP server sends a person back to. It is the same for everybody:
 * only the person who began the sign-in can use what the address contains.
 */
export function mcpSignInPage({ publicUrl }: { readonly publicUrl: string }): string {
  const address = `${publicUrl}/api/mcp-servers/THE_SERVER/oauth/finish`;
  const body = { callback_url: 'THE_ADDRESS_OF_THIS_PAGE' };
  return htmlPage({
    title: 'Signed in at an MCP server',
    body: `<main><h1>One more step</h1>
<p>The authorization server of an MCP server has redirected you here. Finish within ten minutes, as the user who started the sign-in: send
the full address of this page, as shown in the address bar.</p>
${postCommand(address, body, 'authorization: Bearer $ACCESS_TOKEN')}
<p>All requests and responses: <a href="/docs">/docs</a>.</p></main>`,
  });
}

/** Renders the page for a person who comes back from signing in with an integration. */
export function signInPage(answer: CallbackAnswer): string {
  const { title, body } = contentOf(answer);
  return htmlPage({ title, body: `<main><h1>${title}</h1>${body}</main>` });
}

/** The Content-Security-Policy of the page: its form leads back to this service, and nothing else is loaded. */
export const SIGN_IN_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

interface Content {
  readonly title: string;
  /** HTML. */
  readonly body: string;
}

const ENDED: Readonly<Record<'refused' | 'unknown', Content>> = {
  refused: { title: 'The sign-in was refused', body: '<p>Nothing was granted. You can start again.</p>' },
  unknown: {
    title: 'There is no such sign-in',
    body: `<p>It has expired, was already finished, or was replaced by another one. A sign-in works once, within ten
minutes.</p>`,
  },
};

function contentOf(answer: CallbackAnswer): Content {
  if (answer.outcome === 'asked') return { title: 'One more step', body: askedBody(answer) };
  if (answer.outcome === 'done') return { title: 'You have signed in', body: doneBody(answer) };
  if (answer.outcome === 'failed')
    return { title: 'The sign-in has failed', body: `<p>${escapeHtml(answer.reason)}</p>` };
  return ENDED[answer.outcome];
}

function doneBody({ request }: Extract<CallbackAnswer, { outcome: 'done' }>): string {
  return `<p>Agents of ${named(request.organization)} can now use your account through the integration
${named(request.integration)}. You can close this page.</p>`;
}

function askedBody({ request, form: { state, consent } }: Extract<CallbackAnswer, { outcome: 'asked' }>): string {
  const { user, organization, integration } = request;
  return `<p>${named(user)} asks you to allow the agents of the organization ${named(organization)} to use the account
that you have just signed in with, through the integration ${named(integration)}: for everybody who may talk to these agents.</p>
<p>Continue only if you know this user and expected this request. Otherwise close this page: nothing has been granted yet.</p>
<form method="post" action="callback"><input type="hidden" name="state" value="${escapeHtml(state)}">
<input type="hidden" name="consent" value="${escapeHtml(consent)}">
<button>Allow them to use my account</button></form>`;
}

function named(text: string): string {
  return `<strong>${escapeHtml(text)}</strong>`;
}

/** Renders the first page of a server that has no console: why, and what there is instead. */
export function missingConsolePage(): string {
  return htmlPage({
    title: 'Everturn',
    body: `<main><h1>Everturn runs, without its console</h1>
<p>The pages for people have not been built. <code>npm start</code> builds them; if that failed, it says so, and
<code>logs/console.log</code> in the data folder says why. An api that is started by itself takes the folder of a built console
from <code>CONSOLE_DIR</code>.</p>
<p>Everything can be done over HTTP: <a href="/docs">/docs</a>.</p></main>`,
  });
}
