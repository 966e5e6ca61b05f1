import type { Express, Request, Response } from 'express';
import type { ApiContext, OrgCaller, SignedInCaller } from '../context/api-context.ts';
import type { Listed } from '../../db/core/page.ts';
import type { AppError } from '../../domain/core/app-error.ts';
import { tracing } from '../../domain/telemetry/tracing.ts';
import type { Policy } from '../../domain/permissions/policy.ts';
import type { IdentifyCaller } from '../access/authenticate.ts';
import { requireOwnPage } from '../access/origins.ts';
import { clientAddressOf } from '../limits/client-address.ts';
import { conventionOf } from './replies/failure-form.ts';
import { checkAnswer, checkFailure } from './failure-statuses.ts';
import type { Delivery, RelayedAnswer, Route } from './define-route.ts';
import { admit } from './admit.ts';
import { type FileBounds, type IncomingFile, receiveFile } from '../input/incoming-file.ts';
import { readInput, signedBytesOf } from '../input/read-input.ts';
import { answerPage } from './pages.ts';
import { sendFailure } from './problem.ts';
import { AllowlistGuard } from '../resources/allowlist-guard.ts';
import { checkFixedFields, type FixedFields } from '../resources/fixed-fields.ts';
import { newsOfRequest } from '../resources/news-of-request.ts';
import { RequestAudit } from '../auditing/request-audit.ts';
import { answersETag, eTagOf, readIfMatch, takesIfMatch } from '../resources/versions.ts';
import { FileReply } from './replies/file-reply.ts';
import { SseReply } from './sse-reply.ts';
import { declaredBytes } from '../limits/body-limit.ts';
import { whenTaken } from '../limits/unsent-answers.ts';

/** The sender of a request; a public route has none. */
type Caller = SignedInCaller | OrgCaller | undefined;

/** How long an authorization stays valid while its request waits, in milliseconds. */
const ADMISSION_MS = 200;

/**
 * The authorization of one request, which is renewed when the request has waited: its sender may have lost the right.
 */
class Admission {
  readonly #authorizeAgain: () => Promise<Caller>;
  #caller: Caller;
  #at = performance.now();

  /** `caller` was authorized just now. */
  constructor(caller: Caller, authorizeAgain: () => Promise<Caller>) {
    this.#caller = caller;
    this.#authorizeAgain = authorizeAgain;
  }

  /** Returns the caller, authorized not long ago. Throws when they have lost the right. */
  async current(): Promise<Caller> {
    return performance.now() - this.#at > ADMISSION_MS ? this.renew() : this.#caller;
  }

  /** Returns the caller, authorized now. Throws when they have lost the right. */
  async renew(): Promise<Caller> {
    this.#caller = await this.#authorizeAgain();
    this.#at = performance.now();
    return this.#caller;
  }
}

interface MountOptions {
  readonly context: ApiContext;
  readonly identify: IdentifyCaller;
  /** Whether responses are validated against their routes' declarations; a mismatch is then an internal error. */
  readonly checkAnswers: boolean;
  /** Fields of the record that callers may send back, but cannot set. */
  readonly readOnly: ReadonlySet<string> | undefined;
  /** Fields of the record that callers may send back as they are, and who reads them. */
  readonly fixed: FixedFields | undefined;
}

/**
 * Serves a route. The order is the same for all: authenticate, authorize, validate, handle, respond. A stranger learns
 * nothing from validation issues, and a stranger's body is not read.
 */
export function mountRoute(app: Express, route: Route, options: MountOptions): void {
  const path = routerPath(route);
  const allowlists = new AllowlistGuard(route);
  app[route.method](path, (request: Request, response: Response) => {
    const ip = clientAddressOf(request, options.context);
    const audit = new RequestAudit(route, { request, ip }, options.context);
    const audited = { ...options, ip, audit, allowlists, identify: audit.observing(options.identify) };
    // Every response is made for one caller, and some contain tokens.
    response.setHeader('Cache-Control', 'no-store');
    const work = async () =>
      serve(route, request, response, audited).catch((error: unknown) => {
        audit.failed(error);
        sendFailure(options.checkAnswers ? checkFailure(route, error) : error, response, options.context.log);
      });
    void traced(route, request, response, work);
  });
}

// A span lasts as long as the handler, which for a stream is until its end.
async function traced(route: Route, request: Request, response: Response, work: () => Promise<void>): Promise<void> {
  const { method, path } = route;
  if (conventionOf(path) === 'operations') return work();
  const parent = headerOf(request, 'traceparent');
  const attributes = { 'http.request.method': method.toUpperCase(), 'http.route': path };
  const start = { name: `${method.toUpperCase()} ${path}`, kind: 'server', parent, attributes } as const;
  await tracing.within(start, async (span) => {
    await work();
    const { statusCode } = response;
    span.set({ 'http.response.status_code': statusCode });
    if (statusCode >= 500) span.fail(String(statusCode));
  });
}

// `:name` takes one segment, and `*name` all that follow.
function routerPath({ path, takesRestOfPath }: Route): string {
  const rest = takesRestOfPath === true ? path.replace(/\{(\w+)\}$/, '*$1') : path;
  return rest.replaceAll(/\{(\w+)\}/g, ':$1');
}

interface ServeOptions extends MountOptions {
  /** The address that the request came from. */
  readonly ip: string;
  readonly audit: RequestAudit;
  readonly allowlists: AllowlistGuard;
}

async function serve(route: Route, request: Request, response: Response, options: ServeOptions): Promise<void> {
  const { context, audit, ip, allowlists } = options;
  const { admission, data, fixed } = await receive(route, request, response, options);
  let checkRecord: ((caller: Caller) => Promise<void>) | undefined;
  const inputOf = (caller: Caller) => {
    const policy = policyOf(caller);
    if (policy !== undefined) allowlists.check(policy, data);
    return {
      caller,
      ...data,
      ip,
      header: (name: string) => headerOf(request, name),
      signedBytes: signedBytesOf(request),
      allowedIds: policy && allowlists.allowedIds(policy),
      lastEventId: request.headers['last-event-id'],
      authorizeAgain: async () => inputOf(await admission.renew()).caller,
      checkWhileOpen: (check: (current: Caller) => Promise<void>) => {
        checkRecord = check;
      },
      setCookie: (cookie: string) => void response.append('Set-Cookie', cookie),
      answerPage: <T>(page: Listed<T>) => answerPage(page, request, response),
      noteUser: (userId: string, orgId?: string) => audit.noteUser(userId, orgId),
      noteRecords: (...ids: readonly string[]) => audit.noteRecords(ids),
      noteOrgs: (...orgIds: readonly string[]) => audit.noteOrgs(orgIds),
      delivery: data.delivered && deliveryOf(request, data.delivered),
      receive: async <T>(bounds: FileBounds, take: (file: IncomingFile) => Promise<T>) => {
        const leave =
          bounds.isBuffered === true ? acquireBodyShare(context, caller, { request, ip, ...bounds }) : undefined;
        try {
          return await receiveFile(request, { ...bounds, mediaType: route.upload?.mediaType }, take);
        } finally {
          leave?.();
        }
      },
    };
  };
  if (route.ownPagesOnly === true) requireOwnPage(request, context.publicUrl);
  const caller = await admission.current();
  const input = inputOf(caller);
  await checkFixedFields(fixed, async () => options.fixed?.reader.handler(input as never, context, undefined as never));
  const isDownload = route.response.download !== undefined;
  const unsent = context.unsentAnswers;
  const reply = isDownload ? new FileReply(request, response, unsent) : new SseReply(response, unsent);
  if (reply instanceof SseReply && route.response.stream !== undefined && caller !== undefined) {
    // Before the handler: a message whose answer cannot be streamed is not accepted.
    const { userId, expiresAt } = caller;
    const orgId = orgOf(caller);
    if (orgId !== undefined) whenClosed(response, context.connections.acquire({ userId, orgId }));
    const end = (reason: AppError) => reply.breakOff(reason, () => sendFailure(reason, response, context.log));
    const check = async () => {
      const { caller: current } = inputOf(await admission.renew());
      await checkRecord?.(current);
    };
    const recordIds = [...(orgId === undefined ? [] : [orgId]), ...Object.values(data.params ?? {}).map(String)];
    whenClosed(response, context.access.register({ userId, recordIds, expiresAt, check, end }));
  }
  const handle = async (current: typeof input) => {
    const answer = await route.handler(current as never, context, reply as never);
    await audit.done(answer);
    send(route, response, answer, options);
    publishNews(route, { params: request.params, answer, caller: current.caller }, context);
  };
  if (caller === undefined || route.response.schema?.type !== 'array') await handle(input);
  else {
    // The user's next list is read when the network has this one, so that at most two unread responses are in memory.
    await context.listSemaphore.run(caller.userId, async () => {
      // A caller who waited for a slot may have lost the right by now.
      await handle(inputOf(await admission.current()));
      await whenTaken(response);
    });
  }
}

// A hint that nobody waits for.
function publishNews(
  route: Route,
  { caller, ...handled }: { params: Request['params']; answer: unknown; caller: Caller },
  { database }: ApiContext,
): void {
  if (caller === undefined) return;
  const news = newsOfRequest({ route, ...handled, userId: caller.userId, orgId: orgOf(caller) });
  if (news !== undefined) void database.follow([{ changed: [news] }]);
}

function send(route: Route, response: Response, answer: unknown, { context, checkAnswers }: ServeOptions): void {
  const { status, download, stream, whole, isRelayed } = route.response;
  if (download !== undefined || (stream !== undefined && answer === undefined)) return;
  if (isRelayed === true) return relay(response, answer as RelayedAnswer, context);
  const schema = stream === undefined ? route.response.schema : whole;
  response.status(status);
  if (answersETag(route)) response.setHeader('ETag', eTagOf(answer));
  if (schema === undefined) response.end();
  else response.json(checkAnswers ? checkAnswer(schema, answer) : answer);
  context.unsentAnswers.track(response);
}

function relay(response: Response, { status, headers, body }: RelayedAnswer, { unsentAnswers }: ApiContext): void {
  response.writeHead(status, headers).end(body);
  unsentAnswers.track(response);
}

function deliveryOf(request: Request, body: Buffer): Delivery {
  return { body, header: (name) => headerOf(request, name) };
}

// The client may have disconnected while it was being authorized.
function whenClosed(response: Response, leave: () => void): void {
  if (response.destroyed) leave();
  else response.on('close', leave);
}

interface BodyShare {
  readonly request: Request;
  readonly ip: string;
  readonly maxBytes: number;
}

function acquireBodyShare({ bodyLimit }: ApiContext, caller: Caller, { request, ip, maxBytes }: BodyShare): () => void {
  return bodyLimit.acquire(caller?.userId ?? ip, declaredBytes(request, maxBytes));
}

/** Authorizes the caller and reads the request. The authorization is renewed in the same organization. */
async function receive(route: Route, request: Request, response: Response, options: ServeOptions) {
  const { context, identify, ip, audit, readOnly, fixed: fixedFields } = options;
  const counted: IdentifyCaller = async (...exchange) =>
    context.requestLimits.counted(ip, async () => identify(...exchange));
  // Probes and metrics have servers of their own and are not rate-limited.
  if (route.access === 'public' && conventionOf(route.path) !== 'operations')
    await letStrangerIn(route, request, options);
  const admitted = await admit(route, request, { policies: context.policies, identify: counted });
  const again: IdentifyCaller = async () => identify(request, admitted && orgOf(admitted));
  const admission = new Admission(admitted, async () =>
    admit(route, request, { policies: context.policies, identify: again }),
  );
  const sender = admitted?.userId ?? ip;
  const { isSigned = false, keepsNumbers = false } = route;
  const orgId = admitted && orgOf(admitted);
  const given = { readOnly, fixed: fixedFields?.names, orgId };
  const inputOptions = { limit: context.bodyLimit, sender, isSigned, keepsNumbers, ...given };
  const { sent, fixed, ...data } = await readInput(route, request, response, inputOptions);
  audit.noteBody(sent);
  const expectedVersions = takesIfMatch(route) ? readIfMatch(headerOf(request, 'if-match')) : undefined;
  return { admission, data: { ...data, expectedVersions }, fixed };
}

async function letStrangerIn(route: Route, request: Request, { context, ip }: ServeOptions): Promise<void> {
  if (route.letIn === undefined) return context.requestLimits.countStranger(ip);
  return route.letIn({ params: request.params, ip, header: (name) => headerOf(request, name) }, context);
}

// Of a header that was sent more than once Node makes one text, or for a few a list.
function headerOf({ headers }: Request, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

// A stream stays in the organization that it was opened in, even when another becomes active.
function orgOf(caller: SignedInCaller | OrgCaller): string | undefined {
  return 'orgId' in caller ? caller.orgId : undefined;
}

function policyOf(caller: Caller): Policy | undefined {
  return caller !== undefined && 'policy' in caller ? caller.policy : undefined;
}
