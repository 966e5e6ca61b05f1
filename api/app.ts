import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';
import { v7 as uuidv7 } from 'uuid';
import packageJson from '../package.json' with { type: 'json' };
import { chatSocketDescription } from './chat-socket/describe-socket.ts';
import { orgEventsDescription } from './org-events/event-frame.ts';
import { type Console, serveConsole } from './console/serve-console.ts';
import { allowOrigins, checkHost } from './access/origins.ts';
import type { ApiContext } from './context/api-context.ts';
import { identifyByHeaders } from './access/authenticate.ts';
import { clientAddressOf } from './limits/client-address.ts';
import { conventionOf } from './http/replies/failure-form.ts';
import type { Route } from './http/define-route.ts';
import { mountRoute } from './http/mount-route.ts';
import { REQUEST_ID, sendFailure, sendProblem } from './http/problem.ts';
import { readOnlyFields } from './input/read-input.ts';
import { fixedFieldsOf } from './resources/fixed-fields.ts';
import { documentsOf } from './openapi/documents.ts';
import { type Metrics, serveMetrics } from './health/serve-metrics.ts';
import { routes } from './routes.ts';
import { serveDocuments } from './serve-documents.ts';

interface AppOptions {
  readonly context: ApiContext;
  readonly metrics: Metrics;
  /** The token that opens the metrics to other machines; without it they are closed to them. */
  readonly metricsToken: string | undefined;
  /** The built console; without it `/` says that there is none. */
  readonly console: Console | undefined;
  /** Whether responses are validated against their schemas (tests). */
  readonly checkAnswers: boolean;
}

// No page loads anything; each brings its own style, and /docs its own policy.
const CONTENT_SECURITY_POLICY = {
  'default-src': ["'none'"],
  'style-src': ["'unsafe-inline'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

const documents = documentsOf({
  routes,
  sockets: [chatSocketDescription, orgEventsDescription],
  version: packageJson.version,
});
const readOnly = readOnlyFields(routes);

/** Builds the Express app. */
export function createApp({ context, metrics, metricsToken, console, checkAnswers }: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  // Every response is made for one caller; comparing whole bodies for a 304 costs more than it saves.
  app.set('etag', false);
  app.use(
    helmet({
      // Whether the service is reached over TLS is for the proxy before it to say.
      strictTransportSecurity: false,
      contentSecurityPolicy: { useDefaults: false, directives: CONTENT_SECURITY_POLICY },
    }),
  );
  app.use((request: Request, _response: Response, next: NextFunction) => {
    checkHost(request, context);
    next();
  });
  app.use(nameRequests);
  app.use(measure(metrics));
  app.use(allowOrigins(context.corsOrigins));
  const identify = identifyByHeaders(context);
  for (const route of routes) {
    const { schema } = route.response;
    const fields = { readOnly: schema && readOnly.get(schema), fixed: fixedFieldsOf(route, routes) };
    mountRoute(app, route, { context, identify, checkAnswers, ...fields });
  }
  serveConsole(app, console, context);
  serveDocuments(app, { documents, hasConsole: console !== undefined }, context);
  serveMetrics(app, context, { metrics, token: metricsToken });
  rejectOthers(app, routes, context);
  return app;
}

/**
 * Rejects requests that match no route. They are not authenticated and count as a stranger's, so that trying addresses
 * is not free.
 */
function rejectOthers(app: Express, served: readonly Route[], context: ApiContext): void {
  const patterns = served.map((route) => ({ method: route.method.toUpperCase(), pattern: patternOf(route) }));
  const allowedAt = (path: string) => patterns.flatMap(({ method, pattern }) => (pattern.test(path) ? method : []));
  const answer = async (request: Request, response: Response, allowed: (path: string) => string[]) => {
    try {
      await context.requestLimits.countStranger(clientAddressOf(request, context));
      reject(request, response, new Set(allowed(request.path)));
    } catch (error) {
      sendFailure(error, response, context.log);
    }
  };
  app.use((request, response) => void answer(request, response, allowedAt));
  // Express calls this with its own errors, such as a path that cannot be decoded.
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    if (error instanceof URIError) void answer(request, response, () => []);
    else sendFailure(error, response, context.log);
  });
}

function reject({ method }: Request, response: Response, allowed: ReadonlySet<string>): void {
  if (allowed.size === 0)
    return sendProblem({ status: 404, detail: 'Page not found', retryAfterSeconds: undefined }, response);
  // Every GET route also answers HEAD.
  const methods = [...allowed].flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : each));
  response.setHeader('Allow', methods.join(', '));
  sendProblem({ status: 405, detail: `${method} is not supported here`, retryAfterSeconds: undefined }, response);
}

function patternOf({ path, takesRestOfPath }: Route): RegExp {
  if (takesRestOfPath === true)
    return new RegExp(`^${path.replace(/\{\w+\}$/, '.+').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`);
}

// OpenAI's clients show the name of a request with its failure.
function nameRequests({ path }: Request, response: Response, next: NextFunction): void {
  if (conventionOf(path) === 'openai') response.setHeader(REQUEST_ID, uuidv7());
  next();
}

function measure(metrics: Metrics) {
  return (request: Request, response: Response, next: NextFunction) => {
    const startedAt = performance.now();
    response.on('finish', () => {
      const route = (request.route as { path?: string } | undefined)?.path ?? 'none';
      metrics.observe({
        method: request.method,
        route,
        status: response.statusCode,
        seconds: (performance.now() - startedAt) / 1000,
      });
    });
    next();
  };
}
