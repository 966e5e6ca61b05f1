import type { CallDetail } from '../../../domain/approvals.ts';
import { isObject } from '../../../domain/core/objects.ts';
import { maskSecrets } from '../../../domain/secrets.ts';
import { type CustomTool, integrationProblem } from '../../../domain/tools/inspect-tool.ts';
import { renderRequest } from '../../../domain/tools/render-request.ts';
import type { RequestTemplate } from '../../../domain/tools/request-template.ts';
import { checkBounds, checkBySchema, type Checked } from '../arguments/parse-arguments.ts';
import type { CommandEnding, FoundIntegration, ToolContext } from '../context.ts';
import { describeRequest } from '../requests/send-request.ts';
import { runnableTool, type RunnableTool } from '../runnable-tool.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { CallDescription, ToolArguments, ToolOutput } from '../tool.ts';
import type { SourcedTool } from '../toolset.ts';
import { type CustomCall, runHttp, runJavascript, type RuntimeContext } from './runtimes.ts';

/** Makes the tool of a definition. */
export function customTool(tool: CustomTool): RunnableTool {
  const { key, name, description, parameters, effect, approval, timeoutSeconds, runtime } = tool;
  return runnableTool({
    key,
    description,
    parameters: { properties: {}, ...parameters },
    inline: false,
    runsCommand: runtime.kind === 'shell',
    prepare: (given) => {
      const checked = checkQuickly(tool, given);
      if ('error' in checked) return checked;
      const call = { tool, args: checked.value, log: () => undefined };
      return {
        key,
        effect,
        label: name,
        approval,
        timeoutSeconds,
        describe: async (context) => describeCustomCall(tool, checked.value, context),
        run: async (context) => runCustomCall(call, context),
      };
    },
  });
}

/** Runs a call of a custom tool whose arguments have been checked quickly. Throws `ToolFailure` when it cannot. */
export async function runCustomCall(call: CustomCall, context: RuntimeContext): Promise<ToolOutput> {
  const { tool, args } = call;
  await checkFully(tool, args, context);
  const { runtime } = tool;
  if (runtime.kind === 'http') return runHttp(runtime.request, call, context);
  const run = runtime.kind === 'shell' ? runShell : runJavascript;
  return run(runtime.source, call, context);
}

/**
 * Makes the tool of a definition that cannot be used: it is not offered to the model, which learns why when it calls
 * it.
 */
export function unusableTool(key: string, problem: string): SourcedTool {
  const error = { kind: 'denied' as const, message: `The tool ${key} cannot be used: ${problem}` };
  return {
    key,
    description: '',
    parameters: { type: 'object', properties: {} },
    inline: false,
    isHidden: true,
    plan: async (calls) => calls.map(() => ({ error })),
  };
}

const SECRET = '***';

/** Describes a call of a custom tool by its definition and its integration; see `Tool.describe`. */
async function describeCustomCall(
  tool: CustomTool,
  args: ToolArguments,
  { findIntegration }: Pick<ToolContext, 'findIntegration'>,
): Promise<CallDescription> {
  const { runtime, integration: name } = tool;
  const integration = name === undefined ? undefined : await findIntegration(name);
  const basis = { tool, connection: integration?.connection ?? null };
  if (runtime.kind !== 'http') return { details: [{ label: 'Program', value: runtime.source }], basis };
  const problem = name === undefined ? undefined : integrationProblem(tool, integration);
  if (problem !== undefined) throw new ToolFailure('denied', `The tool ${tool.key} cannot be used: ${problem}`);
  return { details: [...requestDetails(runtime.request, args), ...integrationDetails(integration)], basis };
}

function requestDetails(request: RequestTemplate, args: ToolArguments): readonly CallDetail[] {
  const secrets = Object.fromEntries(request.secrets.map(({ field }) => [field, SECRET]));
  const rendered = renderRequest(request, { args: maskSecrets(args), secrets });
  if ('issue' in rendered) throw new ToolFailure('invalid_input', `The request cannot be made: ${rendered.issue}`);
  return describeRequest(rendered.value);
}

function integrationDetails(integration: FoundIntegration | undefined): readonly CallDetail[] {
  return integration === undefined ? [] : [{ label: 'Integration', value: integration.name }];
}

/** The characters of schema and arguments, multiplied, up to which a check takes milliseconds. */
const MAX_WORK = 4_000_000;
/** The longest that a check may take in its process, in milliseconds. */
const CHECK_LIMIT_MS = 5_000;

/**
 * Checks the arguments of a call as far as that is sure to be quick: all of it with most schemas, and otherwise no more
 * than their size. The rest is left to `checkFully`.
 */
export function checkQuickly({ key, parameters }: CustomTool, args: unknown): Checked<ToolArguments> {
  const bounded = checkBounds(key, args);
  return 'error' in bounded || !isQuick(parameters, bounded.value) ? bounded : checkBySchema(key, parameters, args);
}

/**
 * Checks what `checkQuickly` has left out, patterns and references included, in a process of bounded time and memory.
 * Throws `ToolFailure` when the arguments do not fit.
 */
async function checkFully(
  { parameters }: CustomTool,
  given: ToolArguments,
  { compute }: Pick<RuntimeContext, 'compute'>,
): Promise<void> {
  if (isQuick(parameters, given)) return;
  await compute({ kind: 'check_arguments', parameters, given }, { limitMs: CHECK_LIMIT_MS });
}

function isQuick(parameters: CustomTool['parameters'], args: ToolArguments): boolean {
  return isPlainSchema(parameters) && JSON.stringify(parameters).length * JSON.stringify(args).length <= MAX_WORK;
}

/** Keywords whose check takes time in proportion to the schema and the arguments. */
const PLAIN: ReadonlySet<string> = new Set([
  'additionalProperties',
  'const',
  'default',
  'description',
  'enum',
  'examples',
  'items',
  'maxItems',
  'maxLength',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'properties',
  'required',
  'title',
  'type',
]);

/** Returns whether checking arguments by a valid schema takes time in proportion to the sizes of both, at most. */
function isPlainSchema(schema: unknown): boolean {
  if (!isObject(schema)) return typeof schema === 'boolean';
  return Object.entries(schema).every(([keyword, value]) => {
    if (!PLAIN.has(keyword)) return keyword === '$schema';
    if (keyword === 'properties') return isObject(value) && Object.values(value).every(isPlainSchema);
    return keyword === 'items' || keyword === 'additionalProperties' ? isPlainSchema(value) : true;
  });
}

/** Runs the script in the better shell of those that are there. */
const PROGRAM = 'test -x /bin/bash && exec /bin/bash -c "$1"; exec /bin/sh -c "$1"';
const NAME = /^[A-Za-z_]\w{0,63}$/;
/** The system bounds a variable; longer values are on the standard input only. */
const MAX_VARIABLE = 30_000;
const MAX_RESULT = 1_000_000;
const MAX_MESSAGE = 1_000;
const MAX_LOG_LINES = 100;

/**
 * Runs the shell script of a definition with the arguments of a call, in the sandbox. What it writes to its standard
 * output is the result.
 */
async function runShell(source: string, call: CustomCall, context: RuntimeContext): Promise<ToolOutput> {
  const { tool, args, log } = call;
  const ending = await context.runCommand({
    command: ['/bin/sh', '-c', PROGRAM, 'sh', source],
    workspace: 'write',
    environment: { ...variablesOf(args), IDEMPOTENCY_KEY: context.idempotencyKey },
    stdin: JSON.stringify(args),
    timeoutMs: tool.timeoutSeconds * 1000,
  });
  const errors = ending.stderr.toString().trim();
  for (const line of errors.split('\n', MAX_LOG_LINES)) if (line !== '') log(line.slice(0, MAX_MESSAGE));
  const problem = problemIn(ending, errors);
  const { isForeign } = ending;
  if (problem === undefined) return { value: ending.stdout.toString().replace(/\n$/, ''), isForeign };
  const kind = ending.killedFor === 'time' ? 'timeout' : 'upstream';
  throw new ToolFailure(kind, problem, { isForeign, isUncertain: tool.effect !== 'read' });
}

function problemIn({ exitCode, killedFor, stdout }: CommandEnding, errors: string): string | undefined {
  if (killedFor === 'time') return 'The script took too long';
  if (killedFor !== undefined) return `The script was ended: it took too much (${killedFor})`;
  if (exitCode !== 0) return errors.slice(-MAX_MESSAGE) || `The script ended with exit code ${exitCode}`;
  return stdout.length > MAX_RESULT ? `The result exceeds ${MAX_RESULT} bytes` : undefined;
}

// A text as it is, anything else as JSON.
function variablesOf(args: ToolArguments): Record<string, string> {
  const variables = Object.entries(args).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const usable = variables.filter(
    ([name, text]) => NAME.test(name) && text.length <= MAX_VARIABLE && !text.includes('\0'),
  );
  return Object.fromEntries(usable.map(([name, text]) => [`ARG_${name.toUpperCase()}`, text]));
}
