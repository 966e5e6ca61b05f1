import type { CommandEnding } from '../context.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { ToolArguments, ToolOutput } from '../tool.ts';
import type { CustomCall, RuntimeContext } from './runtime.ts';

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
export async function runShell(source: string, call: CustomCall, context: RuntimeContext): Promise<ToolOutput> {
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
