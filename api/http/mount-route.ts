import { isDeepStrictEqual } from 'node:util';
import type { Express, Request, Response } from 'express';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Listed } from '../../db/core/index.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { isAtLeast } from '../../domain/orgs/index.ts';
import { type PermissionKey, policyAllows } from '../../domain/permissions/index.ts';
import type { ApiContext, OrgCaller, SignedInCaller } from '../context/api-context.ts';
import { asOrgCaller } from '../access/authenticate.ts';
import type { IdentifyCaller } from '../access/identify-caller.ts';
import { clientAddressOf } from '../limits/client-address.ts';
import type { OrgAccess, Route } from './define-route.ts';
import { failureStatuses } from './failure-statuses.ts';
import { describeIssue } from './describe-issue.ts';
import { idParams, streamQuery } from './fields.ts';
import { readJsonBody } from './json-body.ts';
import { issuesOf, internalProblem, InvalidRequest, type Problem, problemHeaders, problemOf } from './problem.ts';
import { withoutReadOnly } from './read-only-fields.ts';
import { RequestAudit } from '../auditing/request-audit.ts';
import { SseReply } from './sse-reply.ts';
import { whenTaken } from '../limits/when-taken.ts';

const orgPath = idParams('org_id');
const noQuery = z.strictObject({});

/** How many records a list has in all. */
const TOTAL_COUNT = 'X-Total-Count';

/** How long an admission is good for while the body is on its way, in milliseconds. */
const ADMISSION_MS = 200;

interface MountOptions {
  readonly context: ApiContext;
  readonly identify: IdentifyCaller;
  /** Whether answers are held against what their routes declare; a mismatch is then a fault of ours. */
  readonly checkAnswers: boolean;
  /** Fields of the record that callers may send back, and cannot set. */
  readonly readOnly: ReadonlySet<string> | undefined;
}

/**
 * Serves a route. The order is the same for all: who is it, may they, is the data right, do it, answer. A stranger
 * learns nothing from a fault in the data, and the body of a stranger is not read.
 */
export function mountRoute(app: Express, route: Route, options: MountOptions): void {
  const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
  app[route.method](path, (request: Request, response: Response) => {
    const ip = clientAddressOf(request, options.context);
    const audit = new RequestAudit(route, { request, ip }, options.context);
    const audited = { ...options, ip, audit, identify: audit.observing(options.identify) };
    // Every answer is made for one caller, and some hold tokens.
    response.setHeader('Cache-Control', 'no-store');
    serve(route, request, response, audited).catch((error: unknown) => {
      audit.failed(error);
      sendFailure(options.checkAnswers ? checkFailure(route, error) : error, response, options.context.log);
    });
  });
}

interface ServeOptions extends MountOptions {
  /** The address that the request came from. */
  readonly ip: string;
  readonly audit: RequestAudit;
}

async function serve(route: Route, request: Request, response: Response, options: ServeOptions): Promise<void> {
  const { context, audit, ip } = options;
  const { caller, data, check } = await receive(route, request, response, options);
  const input = {
    caller,
    ...data,
    ip,
    lastEventId: request.headers['last-event-id'],
    answerPage: <T>(page: Listed<T>) => answerPage(page, request, response),
    noteUser: (userId: string, orgId?: string) => audit.noteUser(userId, orgId),
    noteRecords: (...ids: readonly string[]) => audit.noteRecords(ids),
  };
  const reply = new SseReply(response);
  if (route.response.stream !== undefined && caller !== undefined) {
    // Before the handler: a message whose answer cannot be streamed is not taken in.
    const { userId, expiresAt } = caller;
    const orgId = orgOf(caller);
    if (orgId !== undefined) whenClosed(response, context.connections.acquire({ userId, orgId }));
    const end = (reason: AppError) => reply.breakOff(reason, () => sendFailure(reason, response, context.log));
    whenClosed(response, context.access.register({ userId, expiresAt, check: async () => void (await check()), end }));
  }
  const handle = async () => {
    const answer = await route.handler(input as never, context, reply);
    await audit.done(answer);
    send(route, response, answer, options);
  };
  if (caller === undefined || route.response.schema?.type !== 'array') await handle();
  else {
    // The next list of the user is read when the network has this one: what their readers do not take is held once or twice.
    await context.listPlaces.hold(caller.userId, async () => {
      await handle();
      await whenTaken(response);
    });
  }
}

function send(route: Route, response: Response, answer: unknown, { context, checkAnswers }: ServeOptions): void {
  if (route.response.stream !== undefined) return;
  response.status(route.response.status);
  if (route.response.schema === undefined) response.end();
  else response.json(checkAnswers ? checkAnswer(route.response.schema, answer) : answer);
  context.unsentAnswers.track(response);
}

// The reader may have gone while they were let in.
function whenClosed(response: Response, leave: () => void): void {
  if (response.destroyed) leave();
  else response.on('close', leave);
}

/** Lets the caller in and reads what they send; `check` lets them in once more, into the same organization. */
async function receive(route: Route, request: Request, response: Response, options: ServeOptions) {
  const { context, identify, ip, audit, readOnly } = options;
  const counted: IdentifyCaller = async (...exchange) =>
    context.requestLimits.counted(ip, async () => identify(...exchange));
  // Those who watch over the process ask elsewhere, and are answered however many ask.
  if (route.access === 'public' && route.path.startsWith('/api/')) await context.requestLimits.countStranger(ip);
  const admitted = await admit(route, request, { context, identify: counted });
  const admittedAt = performance.now();
  const again: IdentifyCaller = async () => identify(request, admitted && orgOf(admitted));
  const check = async () => admit(route, request, { context, identify: again });
  const sender = admitted?.userId ?? ip;
  const place = { limit: context.bodyLimit, sender, readOnly, orgId: admitted && orgOf(admitted) };
  const { sent, ...data } = await readInput(route, request, response, place);
  audit.noteBody(sent);
  // Who sends slowly may have lost the right since.
  const caller = performance.now() - admittedAt > ADMISSION_MS ? await check() : admitted;
  return { caller, data, check };
}

// RFC 8288: the address of the next page is relative to this one, so it holds behind every proxy.
function answerPage<T>({ items, total, nextOffset }: Listed<T>, request: Request, response: Response): readonly T[] {
  response.setHeader(TOTAL_COUNT, String(total));
  if (nextOffset !== undefined) {
    const query = new URLSearchParams(request.originalUrl.split('?')[1]);
    query.set('offset', String(nextOffset));
    response.setHeader('Link', `<?${query.toString()}>; rel="next"`);
  }
  return items;
}

// A stream stays in the organization that it was opened in, whichever is the active one by now.
function orgOf(caller: SignedInCaller | OrgCaller): string | undefined {
  return 'orgId' in caller ? caller.orgId : undefined;
}

// Also refuses what the schema would leave out: without this check it would be sent.
function checkAnswer(schema: z.ZodType, answer: unknown): unknown {
  const sent: unknown = JSON.parse(JSON.stringify(answer));
  if (!isDeepStrictEqual(schema.parse(sent), sent)) throw new Error('the answer has fields that its schema lacks');
  return sent;
}

// What a route does not declare, its callers are not prepared for.
function checkFailure(route: Route, error: unknown): unknown {
  const status = problemOf(error)?.status;
  if (status === undefined || failureStatuses(route).includes(status)) return error;
  return new Error(`${route.operationId} answers ${status}, which it does not declare`, { cause: error });
}

async function admit(
  route: Pick<Route, 'access' | 'rejectsManaged' | 'response'>,
  request: Request,
  { context, identify }: Pick<MountOptions, 'context' | 'identify'>,
): Promise<SignedInCaller | OrgCaller | undefined> {
  const { access, rejectsManaged } = route;
  if (access === 'public') return undefined;
  const path = typeof access === 'object' ? orgPath.safeParse(request.params) : undefined;
  const named = path?.data?.org_id ?? orgOfStream(route, request);
  const caller = await identify(request, named);
  if (rejectsManaged === true) rejectManaged(caller);
  if (access === 'signed_in') return caller;
  if (path?.error !== undefined) throw new InvalidRequest(issuesOf(path.error, 'path'));
  const member = await asOrgCaller(context.policies, caller);
  if (typeof access === 'object') return admitToOrg(member, access);
  return admitByPolicy(member, access, named ?? request.headers['x-org-id']);
}

// Who opens a stream cannot always set headers. What is no id is refused later, like any fault of a query.
function orgOfStream({ response }: Pick<Route, 'response'>, { query }: Request): string | undefined {
  return response.stream === undefined ? undefined : streamQuery.safeParse({ org_id: query['org_id'] }).data?.org_id;
}

function rejectManaged({ isManaged }: SignedInCaller): void {
  if (isManaged)
    throw new AppError('forbidden', 'Your account is managed by an organization; this is for it to decide');
}

function admitByPolicy(member: OrgCaller | undefined, access: 'in_org' | PermissionKey, namedOrg: unknown): OrgCaller {
  if (member === undefined && namedOrg !== undefined) throw notFound('Organization');
  if (member === undefined) throw new AppError('forbidden', 'You belong to no organization; join or create one first');
  if (access === 'in_org' || policyAllows(member.policy, access)) return member;
  const whose = member.policy.isRestricted ? 'Your permission groups do' : 'Your role does';
  throw new AppError('forbidden', `${whose} not include the permission ${access}`);
}

// Who is no member learns nothing, not even that there is such an organization.
function admitToOrg(member: OrgCaller | undefined, { org }: OrgAccess): OrgCaller {
  if (member === undefined) throw notFound('Organization');
  if (isAtLeast(member.role, org)) return member;
  throw new AppError('forbidden', `This needs the role ${org} in the organization, and yours is ${member.role}`);
}

async function readInput(
  route: Route,
  request: Request,
  response: Response,
  place: Parameters<typeof readJsonBody>[2] & Pick<MountOptions, 'readOnly'> & { readonly orgId: string | undefined },
) {
  const params = route.params && parse(route.params, request.params, 'path');
  // Those who watch over the process may add what keeps their requests out of caches.
  const querySchema = route.query ?? (route.path.startsWith('/api/') ? noQuery : undefined);
  const query = querySchema && parse(querySchema, request.query, 'query');
  const { orgId, readOnly } = place;
  const raw = route.body && (await readJsonBody(request, response, place));
  const sent = withoutReadOnly(raw, readOnly, { isNew: route.method === 'post', orgId });
  const body = route.body && parse(route.body, sent, 'body');
  return { params, query, body, sent };
}

function parse(schema: z.ZodType, value: unknown, part: 'path' | 'query' | 'body'): unknown {
  const result = schema.safeParse(value, { error: describeIssue, reportInput: true });
  if (!result.success) throw new InvalidRequest(issuesOf(result.error, part));
  return result.data;
}

/** Answers with what went wrong; what is our fault goes to the log, and out as a 500 that names the place there. */
export function sendFailure(error: unknown, response: Response, log: Logger): void {
  const problem = problemOf(error) ?? internalProblem();
  if (problem.requestId !== undefined) {
    const { method, path } = response.req;
    log.error({ err: error, requestId: problem.requestId, method, path }, 'request failed');
  }
  if (response.headersSent) {
    response.destroy();
    return;
  }
  sendProblem(problem, response);
}

/** Answers with a problem. */
export function sendProblem(problem: Problem, response: Response): void {
  for (const [name, value] of Object.entries(problemHeaders(problem))) response.setHeader(name, value);
  response.status(problem.status).json({ detail: problem.detail });
}
