import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';
import packageJson from '../package.json' with { type: 'json' };
import type { ApiContext } from './core/api-context.ts';
import { clientAddressOf } from './core/client-address.ts';
import { bearerAuthentication } from './core/bearer.ts';
import { checkHost } from './core/check-host.ts';
import type { Route } from './core/define-route.ts';
import { mountRoute, sendFailure, sendProblem } from './core/mount-route.ts';
import { type Metrics, serveMetrics } from './health/index.ts';
import { docsPage, openApiDocument } from './openapi/index.ts';
import { routes } from './routes.ts';

interface AppOptions {
  readonly context: ApiContext;
  readonly metrics: Metrics;
  /** What shows the metrics to others than this machine; without it nobody else sees them. */
  readonly metricsToken: string | undefined;
  /** Whether answers are held against their schemas (tests). */
  readonly checkAnswers: boolean;
}

// Nothing here loads anything; /docs brings its own style.
const CONTENT_SECURITY_POLICY = {
  'default-src': ["'none'"],
  'style-src': ["'unsafe-inline'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/** The HTTP side of the api. */
export function createApp({ context, metrics, metricsToken, checkAnswers }: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  // Every answer is made for one caller; comparing whole bodies for a 304 costs more than it saves.
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
  app.use(measure(metrics));
  const identify = bearerAuthentication(context);
  for (const route of routes) mountRoute(app, route, { context, identify, checkAnswers });
  serveDocuments(app, routes, context);
  serveMetrics(app, context, { metrics, token: metricsToken });
  app.use((request, response) => {
    const allowed = allowedMethods(routes, request.path);
    if (allowed.length === 0)
      return sendProblem({ status: 404, detail: 'Page not found', retryAfterSeconds: undefined }, response);
    response.setHeader('Allow', allowed.join(', '));
    sendProblem(
      { status: 405, detail: `${request.method} is not possible here`, retryAfterSeconds: undefined },
      response,
    );
  });
  // Express calls this with what it throws itself, such as a path that cannot be decoded.
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    if (error instanceof URIError)
      return sendProblem({ status: 404, detail: 'Page not found', retryAfterSeconds: undefined }, response);
    sendFailure(error, response, context.log);
  });
  return app;
}

// Written once: they are large, and anybody may ask for them.
function serveDocuments(app: Express, served: readonly Route[], context: ApiContext): void {
  const document = Buffer.from(JSON.stringify(openApiDocument(served, packageJson.version)));
  const page = Buffer.from(docsPage(served));
  const serve = (path: string, type: string, content: Buffer) => {
    app.get(path, (request, response, next) => {
      const send = () => {
        response.type(type).send(content);
        context.unsentAnswers.watch(response);
      };
      context.requestLimits.countStranger(clientAddressOf(request, context)).then(send).catch(next);
    });
  };
  serve('/openapi.json', 'application/json', document);
  serve('/docs', 'html', page);
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

function allowedMethods(served: readonly Route[], path: string): string[] {
  const matching = served.filter((route) => new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`).test(path));
  return [...new Set(matching.map(({ method }) => method.toUpperCase()))];
}
