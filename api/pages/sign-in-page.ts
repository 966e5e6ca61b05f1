import type { CallbackAnswer } from '../integrations/index.ts';
import { escapeHtml, htmlPage } from './html-page.ts';

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
  refused: { title: 'The sign-in was refused', body: '<p>Nothing was granted. It can be begun again.</p>' },
  unknown: {
    title: 'There is no such sign-in',
    body: `<p>It has expired, was finished already, or another one was begun in its place. A sign-in is good for ten
minutes and for one use.</p>`,
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
  return `<p>Agents of ${named(request.organization)} now work with your account by the integration
${named(request.integration)}. You can close this page.</p>`;
}

function askedBody({ request, form: { state, consent } }: Extract<CallbackAnswer, { outcome: 'asked' }>): string {
  const { user, organization, integration } = request;
  return `<p>${named(user)} asks you to let the agents of the organization ${named(organization)} work with the account
that you have just signed in with, by the integration ${named(integration)}: for everybody who may talk to these agents.</p>
<p>Go on only if you know this user and expected to be asked. Otherwise close this page: nothing was granted yet.</p>
<form method="post" action="callback"><input type="hidden" name="state" value="${escapeHtml(state)}">
<input type="hidden" name="consent" value="${escapeHtml(consent)}">
<button>Let them work with my account</button></form>`;
}

function named(text: string): string {
  return `<strong>${escapeHtml(text)}</strong>`;
}
