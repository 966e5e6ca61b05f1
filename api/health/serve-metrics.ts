import type { Express, Request } from 'express';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { hostNameOf, isLoopback } from '../../domain/network/index.ts';
import { credentialOf, verifyBearer } from '../access/bearer.ts';
import { isSame } from '../access/is-same.ts';
import type { ApiContext } from '../context/api-context.ts';
import { clientAddressOf } from '../limits/client-address.ts';
import { sendFailure } from '../http/problem.ts';
import type { Metrics } from './metrics.ts';

/** Headers that proxies add to the requests that they forward. */
const FORWARDING_HEADER = /^(?:x-forwarded-|x-real-ip$|forwarded$|via$)/;

interface MetricsOptions {
  readonly metrics: Metrics;
  /** The token that opens the metrics to other machines. */
  readonly token: string | undefined;
}

/** Serves `/metrics`: to this machine, and to others only with the operator's token. */
export function serveMetrics(
  app: Express,
  context: ApiContext,
  { metrics: { registry }, token }: MetricsOptions,
): void {
  app.get('/metrics', (request, response) => {
    admit(request, context, token)
      .then(async () => response.type(registry.contentType).send(await registry.metrics()))
      .catch((error: unknown) => sendFailure(error, response, context.log));
  });
}

async function admit(request: Request, context: ApiContext, token: string | undefined): Promise<void> {
  if (isLocal(request)) return;
  const isOperator =
    token !== undefined && (await verifyBearer(credentialOf(request), async (given) => isSame(given, token)));
  if (isOperator === true) return;
  await context.requestLimits.countStranger(clientAddressOf(request, context));
  if (token === undefined) throw notFound('Page');
  throw new AppError('unauthenticated', 'Missing or invalid token');
}

// A proxy on this machine is a local peer too, but forwards requests from elsewhere.
function isLocal({ socket, headers }: Request): boolean {
  if (!isLoopback(socket.remoteAddress ?? '')) return false;
  const name = hostNameOf(headers.host ?? '') ?? '';
  if (name !== 'localhost' && !isLoopback(name)) return false;
  return !Object.keys(headers).some((header) => FORWARDING_HEADER.test(header));
}
