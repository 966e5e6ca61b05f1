import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ToolContext } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { whyEnded } from './shown-output.ts';

const DEFAULT_SECONDS = 10;
const MAX_SECONDS = 60;
const MAX_CODE = 100_000;
const MAX_TRACE = 2_000;
/** The exit code of a shell that does not find the program. */
const NOT_FOUND = 127;

interface Snippet {
  readonly code: string;
  readonly input: unknown;
}

/** The result of a snippet: its value as JSON, which may be too large to be read here, and its output. */
interface SnippetResult {
  readonly json: string;
  readonly printed: string;
}

/** Runs a snippet of code that reaches nothing. */
export const codeRun = defineTool({
  key: 'code_run',
  name: 'Run code',
  description:
    'Runs a short JavaScript or Python snippet and returns its value and output. The value is that of the last expression; JavaScript with `await` needs `return`. ' +
    'There is no network and no file of the workspace; pass data in as `input`. Use it to calculate, transform or check data when no other tool does.',
  category: 'shell',
  parameters: z.strictObject({
    language: z
      .enum(['javascript', 'python'])
      .describe(
        '`javascript` (ES2025 without Node and browser objects, computes for five seconds at most) or `python` (Python 3 with its standard library).',
      ),
    code: z.string().min(1).max(MAX_CODE).describe('The snippet, such as `input.rows.map((row) => row.price * 2)`.'),
    input: z.unknown().optional().describe('Any JSON; the snippet finds it in the variable `input`.'),
    timeout_s: z
      .int()
      .min(1)
      .max(MAX_SECONDS)
      .optional()
      .describe(`Seconds after which Python is ended; ${DEFAULT_SECONDS} when left out.`),
  }),
  effect: 'read',
  timeoutSeconds: MAX_SECONDS + 30,
  label: ({ language }) => (language === 'python' ? 'Running Python' : 'Running JavaScript'),
  run: async ({ language, code, input = null, timeout_s: seconds = DEFAULT_SECONDS }, context) => {
    const snippet = { code, input };
    const running = language === 'python' ? runPython(snippet, seconds, context) : runJavascript(snippet, context);
    const { json, printed } = await running;
    return { value: `{"value":${json},"printed":${JSON.stringify(printed)}}` };
  },
});

async function runJavascript({ code, input }: Snippet, { runScript }: ToolContext): Promise<SnippetResult> {
  const lines: string[] = [];
  const json = await runScript(
    { source: JAVASCRIPT_PROGRAM, args: { code, input } },
    {
      fetch: async () => {
        throw new ToolFailure('denied', 'code_run has no network; use http_request');
      },
      log: (line) => lines.push(line),
    },
  );
  return { json, printed: lines.join('\n') };
}

async function runPython(snippet: Snippet, seconds: number, { runCommand }: ToolContext): Promise<SnippetResult> {
  const mark = `\u001e${randomUUID()}`;
  const { exitCode, killedFor, stdout, stderr } = await runCommand({
    // Isolated from settings and packages that somebody may have left.
    command: ['/bin/sh', '-c', 'exec python3 -I -c "$1"', 'sh', PYTHON_PROGRAM],
    workspace: 'none',
    stdin: JSON.stringify({ ...snippet, mark }),
    timeoutMs: seconds * 1000,
  });
  if (killedFor !== undefined)
    throw new ToolFailure(killedFor === 'time' ? 'timeout' : 'upstream', whyEnded(killedFor, seconds));
  if (exitCode === NOT_FOUND)
    throw new ToolFailure('denied', 'There is no Python here; use JavaScript, or ask the operator to install python3');
  const [printed = '', json = 'null'] = stdout.toString().split(mark);
  if (exitCode !== 0)
    throw new ToolFailure('upstream', stderr.toString().trim().slice(-MAX_TRACE) || exitWords(exitCode));
  return { json, printed: printed + stderr.toString() };
}

function exitWords(exitCode: number | null): string {
  return `The snippet ended with exit code ${exitCode}`;
}

/**
 * The module that runs a snippet in the script engine. The value of a snippet is that of its last expression; one that
 * awaits or returns becomes the body of a function. Nothing of a snippet that is no script runs before that is known.
 */
const JAVASCRIPT_PROGRAM = `
export default async function ({ code, input }, { log }) {
  const console = Object.fromEntries(['log', 'info', 'warn', 'error', 'debug'].map((name) => [name, log]));
  const isScript = (() => {
    if (/\\bawait\\b/.test(code)) return false;
    try {
      (0, eval)('if (false) {' + code + '\\n}');
      return true;
    } catch {
      return false;
    }
  })();
  const body = async () => new (async () => {}).constructor('input', 'console', code)(input, console);
  const value = isScript ? eval(code) : await body();
  return await value;
}`;

/**
 * The Python program that runs a snippet. It reads the snippet, its input and a mark as JSON, and writes the mark and
 * the value of the last expression behind everything that was printed.
 */
const PYTHON_PROGRAM = `
import ast, json, sys, traceback
task = json.load(sys.stdin)
sys.stdin = open('/dev/null')
scope = {'__name__': '__main__', 'input': task['input']}
value = None
try:
    tree = ast.parse(task['code'], 'code.py')
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, 'code.py', 'exec'), scope)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), 'code.py', 'eval'), scope)
except SyntaxError as error:
    traceback.print_exception(type(error), error, None)
    sys.exit(1)
except Exception as error:
    traceback.print_exception(type(error), error, error.__traceback__.tb_next)
    sys.exit(1)
sys.stdout.flush()
sys.stdout.write(task['mark'] + json.dumps(value, default=repr))
`;
