import { createRequire } from 'node:module';
import type * as mathjs from 'mathjs';
import type { ComputeJob } from './job.ts';

type MathJob = Extract<ComputeJob, { kind: 'math' }>;

// The single-file bundle loads ten times as fast as the thousand modules of the main entry.
const { all, create } = createRequire(import.meta.url)('mathjs/lib/browser/math.js') as typeof mathjs;

const NUMBER_DIGITS = 15;
const MAX_DIGITS = 64;

/** Functions that would reach beyond one expression, change the calculator for the next, or run text as code. */
const OFF = [
  'import',
  'config',
  'createUnit',
  'evaluate',
  'parse',
  'parser',
  'compile',
  'help',
  'typed',
  'reviver',
  'replacer',
  'simplify',
  'simplifyCore',
  'simplifyConstant',
  'symbolicEqual',
  'derivative',
  'rationalize',
  'resolve',
  'leafCount',
];

interface Calculator {
  readonly math: mathjs.MathJsInstance;
  readonly evaluate: (expression: string, scope: Map<string, unknown>) => unknown;
}

let plain: Calculator | undefined;
let exact: Calculator | undefined;

/** Evaluates an expression; returns the result as a text. Throws mathjs's message about the expression. */
export function evaluateMath({ expression, variables, precision }: MathJob): string {
  const { math, evaluate } = calculatorFor(precision);
  const result = evaluate(expression, new Map(Object.entries(variables)));
  return math.format(lastOf(result), { precision });
}

function calculatorFor(precision: number): Calculator {
  if (precision <= NUMBER_DIGITS) return (plain ??= createCalculator());
  return (exact ??= createCalculator({ number: 'BigNumber', precision: MAX_DIGITS }));
}

function createCalculator(config: mathjs.ConfigOptions = {}): Calculator {
  const math = create(all ?? {}) as mathjs.MathJsInstance & {
    // The functions that expressions see, as opposed to those that the calculator is made of.
    readonly expression: { readonly mathWithTransform: object };
  };
  math.config(config);
  for (const name of OFF) {
    const refuse = () => {
      throw new Error(`The function ${name} is disabled`);
    };
    Object.defineProperty(math.expression.mathWithTransform, name, { value: refuse });
  }
  return { math, evaluate: math.evaluate.bind(math) as Calculator['evaluate'] };
}

// Several lines yield a set of results, of which the last is the answer.
function lastOf(result: unknown): unknown {
  const isSet = typeof result === 'object' && result !== null && 'isResultSet' in result && 'entries' in result;
  return isSet && Array.isArray(result.entries) ? result.entries.at(-1) : result;
}
