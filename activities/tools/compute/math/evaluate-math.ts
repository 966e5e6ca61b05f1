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
/** Holds each digit of a whole number that a plain one can be as large as. */
const WHOLE_DIGITS = 320;

interface Calculator {
  readonly math: mathjs.MathJsInstance;
  readonly evaluate: (expression: string, scope: Map<string, unknown>) => unknown;
}

let plain: Calculator | undefined;
let exact: Calculator | undefined;
let whole: Calculator | undefined;

/** Evaluates an expression; returns the result as a text. Throws mathjs's message about the expression. */
export function evaluateMath({ expression, variables, precision }: MathJob): string {
  const run = ({ evaluate }: Calculator) => lastOf(evaluate(expression, new Map(Object.entries(variables))));
  const calculator = calculatorFor(precision ?? PRECISION);
  const result = run(calculator);
  if (precision !== undefined) return calculator.math.format(result, { precision });
  // Plain numbers are whole beyond 15 digits whatever they stand for, and remainders of these are wrong.
  return inFull((hasWhole(result) ? attempt(() => run(wholeCalculator())) : undefined) ?? result, calculator.math);
}

function hasWhole(result: unknown): boolean {
  if (typeof result !== 'object' || result === null) return Number.isInteger(result);
  return Object.values(partsOf(result)).some(hasWhole);
}

/** Writes a result whose whole numbers are told in full. */
function inFull(result: unknown, math: mathjs.MathJsInstance): string {
  const digits = (value: unknown) => {
    const isLarge = math.isBigNumber(value);
    if (isLarge && value.isInteger()) return value.toFixed();
    return Number.isSafeInteger(value) ? String(value) : math.format(value, { precision: PRECISION });
  };
  const isPlain = typeof result !== 'object' || result === null || math.isBigNumber(result);
  if (isPlain && typeof result !== 'string') return digits(result);
  const isCollection = Array.isArray(result) || math.isMatrix(result) || isPlainObject(result);
  return isCollection ? math.format(result, digits) : math.format(result, { precision: PRECISION });
}

// A matrix has its entries in an array.
function partsOf(result: object): object {
  if ('isMatrix' in result && 'valueOf' in result) return result.valueOf();
  return Array.isArray(result) || isPlainObject(result) ? result : {};
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

// Not every function takes big decimals.
function attempt(calculate: () => unknown): unknown {
  try {
    return calculate();
  } catch {
    return undefined;
  }
}

function wholeCalculator(): Calculator {
  return (whole ??= createCalculator({ number: 'BigNumber', precision: WHOLE_DIGITS }));
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
