import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { behaviourSchema, type Behaviour } from './behaviour.ts';
import { chatRequestSchema } from './chat-request.ts';
import { BehaviourChooser, type ScriptFunction } from './choose-behaviour.ts';
import { DirectiveError } from './directives.ts';
import { Gates } from './gates.ts';
import { Journal, preciseNow, type JournalEntry } from './journal.ts';
import { Outlet } from './outlet.ts';
import { play } from './play.ts';
import { readBody } from './read-body.ts';
import { toolsIssue } from '../tools-issue.ts';
import { LIMIT_MS } from '../wait-until.ts';
import { transcriptIssue } from './transcript-issue.ts';
import { errorBody } from './wire.ts';
import { KEEP_CONNECTIONS } from '../keep-connections.ts';
import { LOCAL_ADDRESS } from '../local-address.ts';

export interface ScriptedModelOptions {
  /** 0, the default, takes any free port. */
  readonly port?: number;
  readonly host?: string;
  /** The list of `GET /v1/models`. Any model name is served. */
  readonly models?: readonly string[];
  /** The number of requests that the journal keeps. */
  readonly journalLimit?: number;
  /** Given: requests with another key get 401. */
  readonly apiKey?: string;
  /** Told of every request that has ended; possibly more than once. */
  readonly onEnd?: (entry: JournalEntry) => void;
}

/** A running scripted model. */
export interface ScriptedModel {
  /** Ends in `/v1`: the `base_url` of a provider account. */
  readonly url: string;
  readonly port: number;
  /** The newest requests, oldest first; a live view. */
  readonly requests: readonly JournalEntry[];
  /** Decides every reply from now on; null goes back to directives and the default answer. */
  script(script: ScriptFunction | Behaviour | null): void;
  /** Lets go of all streams that hold at this gate, now and later. */
  release(gate: string): void;
  /**
   * Resolves with the first request that satisfies the predicate, now or after a change. Rejects after `timeoutMs` (90
   * s).
   */
  waitForRequest(predicate: (entry: JournalEntry) => boolean, timeoutMs?: number): Promise<JournalEntry>;
  /** Kills open connections and stops listening. Idempotent. */
  close(): Promise<void>;
}

/** Starts an HTTP server that plays an OpenAI-compatible provider. */
export async function startScriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const host = options.host ?? LOCAL_ADDRESS;
  const journal = new Journal(options.journalLimit ?? 1000, options.onEnd);
  const chooser = new BehaviourChooser();
  const gates = new Gates();
  const context: Context = { journal, chooser, gates, options };

  const server = createServer(KEEP_CONNECTIONS, (request, response) => {
    void serve(context, request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  // The faults decide when a connection ends, not the server's own limits.
  server.requestTimeout = 0;
  server.headersTimeout = 0;
  server.listen(options.port ?? 0, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the scripted model has no port');

  return {
    url: `http://${host}:${address.port}/v1`,
    port: address.port,
    requests: journal.entries,
    script: (script) => chooser.set(script),
    release: (gate) => gates.release(gate),
    waitForRequest: (predicate, timeoutMs = LIMIT_MS) => journal.wait(predicate, timeoutMs),
    close: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Context {
  readonly journal: Journal;
  readonly chooser: BehaviourChooser;
  readonly gates: Gates;
  readonly options: ScriptedModelOptions;
}

async function serve(context: Context, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const route = `${request.method ?? ''} ${pathname}`;
  switch (route) {
    case 'POST /v1/chat/completions':
      return complete(context, request, response);
    case 'GET /v1/models':
      return sendJson(response, 200, {
        object: 'list',
        data: (context.options.models ?? ['scripted-1']).map(modelBody),
      });
    case 'GET /journal':
      return sendJson(response, 200, context.journal.entries);
    case 'DELETE /journal':
      context.journal.clear();
      return sendJson(response, 200, {});
    case 'POST /script':
      return control(request, response, z.nullable(behaviourSchema), (behaviour) => context.chooser.set(behaviour));
    case 'POST /release':
      return control(request, response, z.strictObject({ gate: z.string() }), ({ gate }) =>
        context.gates.release(gate),
      );
    default:
      return refuse(response, 404, `Unknown request URL: ${route}.`);
  }
}

async function control<T>(
  request: IncomingMessage,
  response: ServerResponse,
  schema: z.ZodType<T>,
  apply: (body: T) => void,
): Promise<void> {
  const body = schema.safeParse(await readBody(request));
  if (body.success) apply(body.data);
  sendJson(response, body.success ? 200 : 422, body.success ? {} : { error: z.prettifyError(body.error) });
}

async function complete(context: Context, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const startedAt = preciseNow();
  const { apiKey } = context.options;
  if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`) {
    refuse(response, 401, 'Incorrect API key provided.');
    return;
  }
  const body = chatRequestSchema.safeParse(await readBody(request));
  if (!body.success) {
    refuse(response, 400, `We could not parse your request: ${z.prettifyError(body.error)}`);
    return;
  }
  const { entry, change } = context.journal.open(body.data, request.headers, startedAt);
  const outlet = new Outlet(response, change);
  await play(chooseOrExplain(context.chooser, entry), entry, outlet, { gates: context.gates, change });
}

function chooseOrExplain(chooser: BehaviourChooser, entry: JournalEntry): Behaviour {
  const fault = transcriptIssue(entry.messages) ?? toolsIssue('openai_compat', entry.body);
  if (fault !== undefined) return { kind: 'status', status: 400, message: fault, code: 'invalid_request' };
  try {
    return chooser.choose(entry);
  } catch (error) {
    if (!(error instanceof DirectiveError)) throw error;
    return { kind: 'status', status: 400, message: error.message, code: 'unknown_directive' };
  }
}

function modelBody(id: string): object {
  return { id, object: 'model', created: 1_700_000_000, owned_by: 'scripted-model' };
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(errorBody(message, 'invalid_request_error'));
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
