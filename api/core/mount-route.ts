import { isDeepStrictEqual } from 'node:util';
import type { Express, Request, Response } from 'express';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { roleHolds } from '../../domain/permissions/index.ts';
import type { ApiContext, OrgCaller, SignedInCaller } from './api-context.ts';
import { asOrgCaller } from './authenticate.ts';
import type { IdentifyCaller } from './bearer.ts';
import type { Access, Route } from './define-route.ts';
import { readJsonBody } from './json-body.ts';
import { faultsOf, INTERNAL_PROBLEM, InvalidRequest, type Problem, problemOf } from './problem.ts';
import { SseReply } from './sse-reply.ts';

/** How many records a list has in all; a route that answers a page of it sets this itself. */
const TOTAL_COUNT = 'X-Total-Count';

interface MountOptions {
  readonly context: ApiContext;
  readonly identify: IdentifyCaller;
  /** Whether answers are held against their schemas; a mismatch is then a fault of ours. */
  readonly checkAnswers: boolean;
}

/**
 * Serves a route. The order is the same for all: who is it, may they, is the data right, do it, answer. A stranger
 * learns nothing from a fault in the data, and the body of a stranger is not read.
 */
export function mountRoute(app: Express, route: Route, options: MountOptions): void {
  const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
  app[route.method](path, (request: Request, response: Response) => {
    serve(route, request, response, options).catch((error: unknown) =>
      sendFailure(error, response, options.context.log),
    );
  });
}

async function serve(route: Route, request: Request, response: Response, options: MountOptions): Promise<void> {
  const { context, identify } = options;
  const caller = await admit(route.access, request, response, identify);
  const input = {
    caller,
    ...(await readInput(route, request, response)),
    ip: request.ip ?? '',
    lastEventId: request.headers['last-event-id'],
    setHeader: (name: string, value: string) => response.setHeader(name, value),
  };
  const reply = new SseReply(response);
  if (route.response.stream !== undefined && caller !== undefined) {
    const check = async () => void (await admit(route.access, request, response, identify));
    const stop = context.access.watch({ userId: caller.userId, check, end: () => reply.end() });
    response.on('close', stop);
  }
  const answer = await route.handler(input as never, context, reply);
  if (route.response.stream !== undefined) return;
  response.status(route.response.status);
  if (Array.isArray(answer) && !response.hasHeader(TOTAL_COUNT)) response.setHeader(TOTAL_COUNT, String(answer.length));
  if (route.response.schema === undefined) response.end();
  else response.json(options.checkAnswers ? checkAnswer(route.response.schema, answer) : answer);
}

// Also refuses what the schema would leave out: without this check it would be sent.
function checkAnswer(schema: z.ZodType, answer: unknown): unknown {
  const sent: unknown = JSON.parse(JSON.stringify(answer));
  if (!isDeepStrictEqual(schema.parse(sent), sent)) throw new Error('the answer has fields that its schema lacks');
  return sent;
}

async function admit(
  access: Access,
  request: Request,
  response: Response,
  identify: IdentifyCaller,
): Promise<SignedInCaller | OrgCaller | undefined> {
  if (access === 'public') return undefined;
  const caller = await identify(request, response);
  if (access === 'signed_in') return caller;
  const member = asOrgCaller(caller);
  if (member === undefined) {
    if (request.headers['x-org-id'] !== undefined) throw notFound('Organization');
    throw new AppError('forbidden', 'You belong to no organization; join or create one first');
  }
  if (access !== 'in_org' && !roleHolds(member.role, access)) {
    throw new AppError('forbidden', `Your role does not include the permission ${access}`);
  }
  return member;
}

async function readInput(route: Route, request: Request, response: Response) {
  const params = route.params && parse(route.params, request.params, 'path');
  const query = route.query && parse(route.query, request.query, 'query');
  const body = route.body && parse(route.body, await readJsonBody(request, response), 'body');
  return { params, query, body };
}

function parse(schema: z.ZodType, value: unknown, part: 'path' | 'query' | 'body'): unknown {
  const result = schema.safeParse(value);
  if (!result.success) throw new InvalidRequest(faultsOf(result.error, part));
  return result.data;
}

/** Answers with what went wrong; what is our fault goes to the log and out as a bare 500. */
export function sendFailure(error: unknown, response: Response, log: Logger): void {
  const problem = problemOf(error) ?? INTERNAL_PROBLEM;
  if (problem === INTERNAL_PROBLEM)
    log.error({ err: error, method: response.req.method, path: response.req.path }, 'request failed');
  if (response.headersSent) {
    response.destroy();
    return;
  }
  sendProblem(problem, response);
}

/** Answers with a problem. */
export function sendProblem({ status, detail, retryAfterSeconds }: Problem, response: Response): void {
  if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  if (retryAfterSeconds !== undefined)
    response.setHeader('Retry-After', String(Math.max(1, Math.ceil(retryAfterSeconds))));
  response.status(status).json({ detail });
}
