import type { Command } from 'commander';
import { APIError, type Everturn, type Schemas } from '../../../sdk/src/index.ts';
import { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import type { Environment } from '../environment.ts';

type Trace = Schemas['Trace'];
type Step = Schemas['TraceStep'];

/** Adds `logs`. */
export function logsCommand(program: Command, environment: Environment): void {
  program
    .command('logs')
    .description('show what happened in a run or a task: waits, calls of models and tools, failures')
    .argument('<run or task>', 'its id')
    .action(async (id: string, _options: unknown, command: Command) =>
      showLogs(new Context(environment, command.optsWithGlobals()), id),
    );
}

async function showLogs(context: Context, id: string): Promise<void> {
  const { client } = await context.connect();
  const chatId = (await chatOfTask(client, id)) ?? (await chatOfRun(client, id));
  const turns: Schemas['Turn'][] = [];
  for await (const turn of client.list('/api/chats/{chat_id}/turns', { path: { chat_id: chatId } })) turns.push(turn);
  for (const { id: turnId } of turns.toReversed()) {
    const path = { chat_id: chatId, turn_id: turnId };
    const trace = await client.request('GET', '/api/chats/{chat_id}/turns/{turn_id}', { path });
    context.output.result(trace, () => wordsOf(trace));
  }
}

async function chatOfTask(client: Everturn, id: string): Promise<string | undefined> {
  try {
    const { sub_chat_id: chatId } = await client.request('GET', '/api/tasks/{task_id}', { path: { task_id: id } });
    return requireChat(chatId, 'No agent has begun this task.');
  } catch (error) {
    // A run, or no id at all.
    if (error instanceof APIError && [403, 404, 422].includes(error.status)) return undefined;
    throw error;
  }
}

async function chatOfRun(client: Everturn, id: string): Promise<string> {
  for await (const run of client.list('/api/runs', { query: { limit: 500 } }))
    if (run.id === id) return requireChat(run.chat_id, run.error ?? 'The conversation of this run was removed.');
  throw new Failure(`There is no run or task with the id ${id} that you may see.`);
}

function requireChat(id: string | null, reason: string): string {
  if (id === null) throw new Failure(reason);
  return id;
}

function wordsOf({ turn, steps }: Trace): string {
  const depths = new Map<string, number>();
  const lines = steps.map((step) => {
    const depth = step.parent_id === null ? 0 : (depths.get(step.parent_id) ?? 0) + 1;
    depths.set(step.id, depth);
    return `${step.started_at ?? ''.padEnd(24)}  ${'  '.repeat(depth)}${nameOf(step)}${lengthOf(step)}`;
  });
  const error = turn.error === null ? '' : `: ${turn.error}`;
  return [
    `${turn.created_at}  Turn ${turn.id} of ${turn.agent_name ?? 'an agent'}`,
    ...lines,
    `${turn.ended_at ?? ''.padEnd(24)}  ${turn.status}${error}`,
  ].join('\n');
}

const NAMES: { readonly [K in Step['kind']]: (step: Extract<Step, { kind: K }>) => string } = {
  queue: () => 'Queued',
  wait: (step) => `Waited for a ${step.waits_for}`,
  attempt: (step) => `Attempt: ${step.status}`,
  model_call: ({ model, outcome, failure, reason }) =>
    `Model ${model ?? 'unknown'}: ${outcome}${failure === null ? '' : `, ${reason ?? failure}`}`,
  call: ({ label, name, status, result_excerpt: result }) =>
    `${label} (${name}): ${status}${status === 'error' ? `, ${result ?? ''}` : ''}`,
  approval: (step) => `Approval: ${step.status}`,
  blocked: (step) => `Blocked: ${step.reason}`,
  left_out: (step) => `${step.count} ${step.what.replace('_', ' ')} are not shown`,
  interrupt: () => 'A person asked to stop',
};

// The words of a kind are for the step's own kind, which the compiler cannot follow through the table.
function nameOf(step: Step): string {
  return NAMES[step.kind](step as never);
}

function lengthOf({ started_at: start, ended_at: end }: Step): string {
  return start === null || end === null ? '' : ` (${Date.parse(end) - Date.parse(start)} ms)`;
}
