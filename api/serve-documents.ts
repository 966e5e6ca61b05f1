import express, { type Express, type Request, type Response } from 'express';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { CARD_PATH, hostCardText } from './a2a-endpoint/agent-card.ts';
import type { ApiContext } from './context/api-context.ts';
import { sendProblem } from './http/problem.ts';
import { clientAddressOf } from './limits/client-address.ts';
import type { StaticDocument } from './openapi/documents.ts';
import { joinPage, mcpSignInPage, setPasswordPage, SIGN_IN_POLICY, signInPage } from './pages.ts';
import { decideByLink, DECISION_PATH, type LinkAnswer, showLink } from './approvals/decision-link.ts';
import { decisionPage } from './approvals/decision-page.ts';
import { answerCallback, answerConsent, type CallbackAnswer } from './integrations/oauth/answer-callback.ts';
import { CALLBACK_PATH } from './integrations/oauth/start-sign-in.ts';
import { MCP_SIGN_IN_PATH } from './mcp-servers/sign-in.ts';

const MAX_FORM_BYTES = 65_536;
const MAX_FIELDS = 10;

const readForm = express.urlencoded({
  limit: MAX_FORM_BYTES,
  parameterLimit: MAX_FIELDS,
  extended: false,
  inflate: false,
});

/** Reads the fields of a form of one of our pages; undefined when the body is none that they send. */
async function readFormBody(request: Request, response: Response): Promise<unknown> {
  return new Promise((resolve) => {
    readForm(request, response, (error?: unknown) => resolve(error === undefined ? request.body : undefined));
  });
}

interface DocumentOptions {
  readonly documents: readonly StaticDocument[];
  /** Whether the console serves the link of an invite. */
  readonly hasConsole: boolean;
}

/** Serves the API's description, and the pages for people who open the service in a browser. */
export function serveDocuments(app: Express, { documents, hasConsole }: DocumentOptions, context: ApiContext): void {
  const serve = (path: string, send: (response: Response) => Promise<void> | void, method: 'get' | 'post' = 'get') => {
    app[method](path, (request, response, next) => {
      const answer = async () => {
        await context.requestLimits.countStranger(clientAddressOf(request, context));
        await send(response);
        context.unsentAnswers.track(response);
      };
      answer().catch(next);
    });
  };
  for (const { path, type, policy, maxAgeSeconds, render } of documents) {
    // Kept, as they are large and anybody may request them; most processes are never asked for them.
    const content = once(render);
    const packed = onceResolved(async () => promisify(gzip)(content()));
    serve(path, async (response) => {
      if (policy !== undefined) response.setHeader('Content-Security-Policy', policy);
      if (maxAgeSeconds !== undefined) response.setHeader('Cache-Control', `public, max-age=${maxAgeSeconds}`);
      response.type(type).vary('Accept-Encoding');
      if (response.req.acceptsEncodings('gzip') === false) response.send(content());
      else response.setHeader('Content-Encoding', 'gzip').send(await packed());
    });
  }
  const noCard = { status: 404, detail: hostCardText(context.publicUrl), retryAfterSeconds: undefined };
  serve(CARD_PATH, (response) => sendProblem(noCard, response));
  const serveLink = (path: string, page: typeof joinPage) =>
    serve(path, (response) => {
      const { token } = response.req.query;
      response.setHeader('Cache-Control', 'no-store');
      response.type('html').send(page({ publicUrl: context.publicUrl, token }));
    });
  if (!hasConsole) {
    serveLink('/join', joinPage);
    serveLink('/set-password', setPasswordPage);
  }
  serve(MCP_SIGN_IN_PATH, (response) => {
    // Its address contains a code.
    response.setHeader('Cache-Control', 'no-store').setHeader('Referrer-Policy', 'no-referrer');
    response.type('html').send(mcpSignInPage(context));
  });
  const sendSignIn = (response: Response, answer: CallbackAnswer) => {
    // Its address contains a code.
    response.setHeader('Cache-Control', 'no-store').setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader('Content-Security-Policy', SIGN_IN_POLICY);
    response
      .status(answer.outcome === 'unknown' ? 400 : 200)
      .type('html')
      .send(signInPage(answer));
  };
  serve(CALLBACK_PATH, async (response) => sendSignIn(response, await answerCallback(response.req.query, context)));
  const finishSignIn = async (response: Response) => {
    const { req: request } = response;
    const form = await readFormBody(request, response);
    sendSignIn(response, await answerConsent(form, clientAddressOf(request, context), context));
  };
  serve(CALLBACK_PATH, finishSignIn, 'post');
  const sendDecision = (response: Response, answer: LinkAnswer) => {
    // Its address decides.
    response.setHeader('Cache-Control', 'no-store').setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader('Content-Security-Policy', SIGN_IN_POLICY).setHeader('X-Robots-Tag', 'noindex');
    response
      .status(answer.outcome === 'unknown' ? 400 : 200)
      .type('html')
      .send(decisionPage(answer));
  };
  serve(DECISION_PATH, async (response) => sendDecision(response, await showLink(response.req.query, context)));
  const decide = async (response: Response) => {
    const { req: request } = response;
    const form = await readFormBody(request, response);
    sendDecision(response, await decideByLink(form, clientAddressOf(request, context), context));
  };
  serve(DECISION_PATH, decide, 'post');
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** Returns what `make` has resolved to, and calls it again after a failure. */
function onceResolved<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  const forget = (error: unknown) => {
    made = undefined;
    throw error;
  };
  return async () => (made ??= make().catch(forget));
}
