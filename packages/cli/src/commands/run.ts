import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { ConflictError, type Everturn, type Schemas } from '../../../sdk/src/index.ts';
import { Context, findNamed, type GlobalOptions } from '../context.ts';
import { EXIT, Failure, parseJsonObject } from '../failure.ts';
import type { Environment } from '../environment.ts';

interface RunOptions extends GlobalOptions {
  readonly var: Readonly<Record<string, string>>;
  readonly vars?: string;
  readonly follow?: boolean;
}

type Run = Schemas['WorkflowRunDetails'] | Schemas['ScheduleRun'];

/** How a run is read and stopped. */
export interface RunAccess {
  readonly read: () => Promise<Run>;
  readonly interrupt: () => Promise<unknown>;
}

/** Outlasts a restart of the server, as the stream of an answer does. */
const PATIENT = { maxRetries: 10 };

/** Adds `run`. */
export function runCommand(program: Command, environment: Environment): void {
  program
    .command('run')
    .description('start a run of a workflow')
    .argument('<workflow>', 'its name or id')
    .option('--var <name=value>', 'a variable of its prompts; may be repeated', addVariable, {})
    .option('--vars <file>', 'variables as a JSON object in a file; - is standard input')
    .option('--follow', 'wait for its end, write its output, and fail unless it has completed')
    .action(async (workflow: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<RunOptions>();
      await runWorkflow(new Context(environment, options), workflow, options);
    });
}

function addVariable(given: string, others: Readonly<Record<string, string>>): Record<string, string> {
  const at = given.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must have the form name=value.');
  return { ...others, [given.slice(0, at)]: given.slice(at + 1) };
}

async function runWorkflow(context: Context, name: string, options: RunOptions): Promise<void> {
  const variables = { ...(await variablesOf(context, options.vars)), ...options.var };
  const { client } = await context.connect();
  const { id } = await findNamed('workflows', client.list('/api/workflows'), name);
  const path = { workflow_id: id };
  const { run_id: runId } = await client.request('POST', '/api/workflows/{workflow_id}/trigger', {
    path,
    body: { variables },
  });
  const ofRun = { path: { ...path, run_id: runId } };
  await showRun(
    context,
    { id: runId, isFollowed: options.follow === true },
    {
      read: async () => client.request('GET', '/api/workflows/{workflow_id}/runs/{run_id}', { ...ofRun, ...PATIENT }),
      interrupt: async () => client.request('POST', '/api/workflows/{workflow_id}/runs/{run_id}/interrupt', ofRun),
    },
  );
}

async function variablesOf({ environment }: Context, source: string | undefined): Promise<Record<string, unknown>> {
  if (source === undefined) return {};
  const content = source === '-' ? await text(environment.stdin) : contentOf(source);
  const variables = parseJsonObject(content);
  if (variables !== undefined) return variables;
  throw new Failure(`${source === '-' ? 'Standard input' : source} contains no JSON object.`, EXIT.usage);
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Failure(`${file} cannot be read.`, EXIT.usage, { cause: error });
  }
}

/** Writes the id of a run that was started, or follows it to its end. */
export async function showRun(
  context: Context,
  { id, isFollowed }: { readonly id: string; readonly isFollowed: boolean },
  access: RunAccess,
): Promise<void> {
  const { output, environment } = context;
  if (!isFollowed) {
    output.result({ run_id: id }, () => id);
    return;
  }
  output.remark(`Run ${id}`);
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    output.remark('Interrupting; Ctrl-C again leaves.');
    // A run that has just ended cannot be stopped; its result is shown instead.
    access.interrupt().catch((error: unknown) => {
      if (!(error instanceof ConflictError)) output.failure(String(error));
    });
  };
  const run = await environment.interrupts.during(stop, async () => untilEnded(context, access));
  output.result(run, () => run.output ?? '');
  if (run.status === 'completed') return;
  if (isStopped) throw new Failure('Interrupted.', EXIT.interrupted);
  throw new Failure(
    `The run ${run.status === 'interrupted' ? 'was interrupted' : 'has failed'}: ${run.error ?? 'no reason is known'}`,
  );
}

async function untilEnded({ output }: Context, { read }: RunAccess): Promise<Run> {
  let status: string | undefined;
  for (let waitMs = 100; ; waitMs = Math.min(2_000, waitMs * 2)) {
    const run = await read();
    if (run.completed_at !== null) return run;
    if (run.status !== status) output.remark(`[${run.status}]`);
    ({ status } = run);
    await pause(waitMs);
  }
}

/** Returns how a run of a schedule is read and stopped. */
export function scheduleRun(client: Everturn, runId: string): RunAccess {
  const ofRun = { path: { run_id: runId } };
  return {
    read: async () => client.request('GET', '/api/schedules/runs/{run_id}', { ...ofRun, ...PATIENT }),
    interrupt: async () => client.request('POST', '/api/schedules/runs/{run_id}/interrupt', ofRun),
  };
}
