import { createRequire } from 'node:module';
import type * as mathjs from 'mathjs';
import { ALLOWED_NAMES } from './allowed-math.ts';
import type { ComputeJob } from '../job.ts';

type MathJob = Extract<ComputeJob, { kind: 'math' }>;

// The single-file bundle loads five to ten times as fast as the thousand modules of the main entry. It holds no
// factories to build a smaller calculator from, so what expressions see of it is narrowed instead.
const { all, create } = createRequire(import.meta.url)('mathjs/lib/browser/math.js') as typeof mathjs;

const PRECISION = 14;
const NUMBER_DIGITS = 15;
const MAX_DIGITS = 64;

interface Calculator {
  readonly math: mathjs.MathJsInstance;
  readonly evaluate: (expression: string, scope: Map<string, unknown>) => unknown;
}

let plain: Calculator | undefined;
let exact: Calculator | undefined;

/** Evaluates an expression; returns the result as a text. Throws mathjs's message about the expression. */
export function evaluateMath({ expression, variables, precision }: MathJob): string {
  const run = ({ evaluate }: Calculator) => lastOf(evaluate(expression, new Map(Object.entries(variables))));
  const calculator = calculatorFor(precision ?? PRECISION);
  const result = run(calculator);
  // Whole numbers are told in full: large ones are not exact but in big decimals.
  if (precision === undefined && isWhole(result)) {
    if (Number.isSafeInteger(result)) return String(result);
    const large = calculatorFor(MAX_DIGITS);
    const exact = run(large);
    if (large.math.isBigNumber(exact) && exact.isInteger()) return large.math.format(exact, { notation: 'fixed' });
  }
  return calculator.math.format(result, { precision: precision ?? PRECISION });
}

function isWhole(result: unknown): result is number {
  return Number.isInteger(result) && Math.abs(result as number) < 10 ** MAX_DIGITS;
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
  const { mathWithTransform } = math.expression;
  for (const name of Object.getOwnPropertyNames(mathWithTransform)) {
    if (ALLOWED_NAMES.has(name)) continue;
    const reject = () => {
      throw new Error(`The function ${name} is switched off`);
    };
    Object.defineProperty(mathWithTransform, name, { value: reject });
  }
  return { math, evaluate: math.evaluate.bind(math) as Calculator['evaluate'] };
}

// Several lines yield a set of results, of which the last is the answer.
function lastOf(result: unknown): unknown {
  const isSet = typeof result === 'object' && result !== null && 'isResultSet' in result && 'entries' in result;
  return isSet && Array.isArray(result.entries) ? result.entries.at(-1) : result;
}
