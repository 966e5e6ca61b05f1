import { createRequire } from 'node:module';
import type * as mathjs from 'mathjs';
import type { ComputeJob } from './job.ts';

type MathJob = Extract<ComputeJob, { kind: 'math' }>;

// The single-file bundle loads five to ten times as fast as the thousand modules of the main entry. It has no factories
// to build a smaller calculator from, so what expressions see of it is narrowed instead.
const { all, create } = createRequire(import.meta.url)('mathjs/lib/browser/math.js') as typeof mathjs;

const PRECISION = 14;
const NUMBER_DIGITS = 15;
const MAX_DIGITS = 64;
/** Covers each digit of the largest whole number that a plain one can be, which slows down some functions tenfold. */
const WHOLE_DIGITS = 320;
/** Digits that show whether a quotient is whole: others of a rounded number would be made up. */
const GUARD_DIGITS = 10;
/** Leaves digits for fractions, when it is calculated with `MAX_DIGITS`. */
const VERY_LARGE = 1e40;
/** With fractions, plain numbers are only so exact: beyond this size, and when sizes differ by more than this. */
const LARGE_WITH_FRACTIONS = 1e13;
const FAR_APART = 1e10;
/** How many numbers are calculated again after an overflow; each may take some ten milliseconds. */
const MAX_REPEATED = 500;

/** Functions whose results depend on the last digits of their arguments. */
const REMAINDERS: ReadonlySet<string> = new Set(['mod', 'gcd', 'lcm', 'xgcd', 'invmod']);
/** Functions whose results depend on the last digits when the first ones cancel each other out. */
const SUMS: ReadonlySet<string> = new Set(['add', 'subtract', 'sum']);

/** Operators that plain numbers have for 32 bits only. */
const BITWISE: ReadonlySet<string> = new Set(['bitAnd', 'bitOr', 'bitXor', 'bitNot', 'leftShift', 'rightArithShift']);

/** The numbers of an expression, as it writes them. */
const LITERAL = /\d[\d.]*(?:e[+-]?\d+)?/gi;

type MathInstance = mathjs.MathJsInstance & {
  // The functions that expressions see, as opposed to those that the calculator is made of.
  readonly expression: { readonly mathWithTransform: object };
};

interface Calculator {
  readonly math: MathInstance;
  /** The digits that its big decimals keep. */
  readonly digits: number;
  readonly evaluate: (expression: string, scope: Map<string, unknown>) => unknown;
}

/** Called with the arguments and the result of a function of an expression. */
type Observer = (name: string, args: readonly unknown[], result: unknown) => void;

/** The largest number of the running expression so far; infinite when one was beyond plain numbers. */
let largest = 0;
/** The smallest one apart from zero. */
let smallest = Infinity;
let hasFractions = false;
/** How many numbers it has come across. */
let numbers = 0;
/** Whether its result depends on digits that were rounded away. */
let hasLostDigits = false;

let plain: Calculator | undefined;
let exact: Calculator | undefined;
let whole: Calculator | undefined;

/** Evaluates an expression; returns the result as a text. Throws mathjs's message about the expression. */
export function evaluateMath({ expression, variables, precision }: MathJob): string {
  const run = (calculator: Calculator) => lastOf(calculator.evaluate(expression, scopeOf(variables, calculator)));
  const calculator = calculatorFor(precision ?? PRECISION);
  [largest, smallest, hasFractions, numbers] = [0, Infinity, false, 0];
  for (const literal of expression.match(LITERAL) ?? []) measureSize(sizeOf(literal));
  measure(variables);
  const result = run(calculator);
  if (calculator === plain && largest === Infinity) return beyondPlain(run, precision);
  if (precision !== undefined) return calculator.math.format(result, { precision });
  // Plain numbers are whole beyond 15 digits whatever they represent, and remainders of these are wrong. Big decimals
  // are too slow to calculate everything with.
  const isInexact = (mayBeRounded() && hasWhole(result)) || result === 0;
  const large = isInexact ? calculatorForWhole(largest) : calculator;
  const exact = isInexact ? attempt(() => run(large)) : undefined;
  return exact === undefined ? inFull(result, calculator) : inFull(exact, large);
}

// Plain numbers overflow to infinity, from which nothing right can be calculated.
function beyondPlain(run: (calculator: Calculator) => unknown, precision: number | undefined): string {
  const calculator = calculatorForWhole(largest);
  hasLostDigits = false;
  const result = numbers > MAX_REPEATED ? undefined : attempt(() => run(calculator));
  if (result === undefined)
    throw new Error('The calculation has numbers beyond 1.8e308: set precision to 16 or more for big decimals');
  if (hasLostDigits)
    throw new Error(
      `The result depends on all digits of a number with more than ${WHOLE_DIGITS}: use bigint("...") for whole numbers, or set precision to 16 or more for rounded ones`,
    );
  return precision === undefined ? inFull(result, calculator) : calculator.math.format(result, { precision });
}

// Plain numbers among the variables would make plain calculations of those with big decimals.
function scopeOf(variables: MathJob['variables'], { math }: Calculator): Map<string, unknown> {
  const isBig = math !== plain?.math;
  const read = (value: unknown): unknown => {
    if (typeof value === 'number' && isBig) return math.bignumber(value);
    if (Array.isArray(value)) return value.map(read);
    return isPlainObject(value) ? Object.fromEntries(entriesOf(value)) : value;
  };
  const entriesOf = (values: object) => Object.entries(values).map(([name, value]) => [name, read(value)] as const);
  return new Map(entriesOf(variables));
}

function measure(value: unknown): void {
  if (typeof value === 'number' || isBigNumber(value)) {
    const size = Math.abs(Number(value));
    measureSize(Number.isNaN(size) ? Infinity : size);
    numbers += 1;
  } else if (typeof value === 'object' && value !== null) {
    const parts = partsOf(value);
    (Array.isArray(parts) ? parts : Object.values(parts)).forEach(measure);
  }
}

function measureSize(size: number): void {
  largest = Math.max(largest, size);
  if (size > 0) smallest = Math.min(smallest, size);
  hasFractions ||= !Number.isInteger(size);
}

function mayBeRounded(): boolean {
  if (largest > Number.MAX_SAFE_INTEGER) return true;
  return hasFractions && (largest > LARGE_WITH_FRACTIONS || largest / smallest > FAR_APART);
}

/** Returns how large a literal is; one with more digits than plain numbers keep counts without its decimal point. */
function sizeOf(literal: string): number {
  const [digits = ''] = literal.split(/e/i);
  const whole = digits.replaceAll('.', '').replace(/^0+/, '');
  return Math.max(Number(literal) || 0, whole.length > NUMBER_DIGITS ? Number(whole) : 0);
}

function noteLostDigits(name: string, args: readonly unknown[], result: unknown): void {
  if (!args.some(isTooLong)) return;
  hasLostDigits ||= REMAINDERS.has(name) || (SUMS.has(name) && !isTooLong(result));
}

function isTooLong(value: unknown): boolean {
  if (isBigNumber(value)) return value.e >= WHOLE_DIGITS;
  return typeof value === 'object' && value !== null && Object.values(partsOf(value)).some(isTooLong);
}

function hasWhole(result: unknown): boolean {
  if (isBigNumber(result)) return result.isInteger();
  if (typeof result === 'number') return Number.isInteger(rounded(result));
  if (typeof result !== 'object' || result === null) return typeof result === 'boolean';
  return Object.values(partsOf(result)).some(hasWhole);
}

/** Returns a plain number without its last digits, which are lost in calculating with it. */
function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(PRECISION));
}

/** Writes a result; its whole numbers in full, unless they have more digits than the calculator keeps. */
function inFull(result: unknown, { math, digits: kept }: Calculator): string {
  const digits = (value: unknown) => {
    if (isBigNumber(value) && value.isInteger() && value.e < kept - GUARD_DIGITS) return value.toFixed();
    // A larger one that is not whole would get digits that it does not have.
    const isRounded = typeof value === 'number' && Math.abs(value) < 10 ** PRECISION;
    const shown = isRounded ? rounded(value) : value;
    return Number.isSafeInteger(shown) ? String(shown) : math.format(value, { precision: PRECISION });
  };
  const isPlain = typeof result !== 'object' || result === null || isBigNumber(result);
  if (isPlain && typeof result !== 'string') return digits(result);
  const isOfNumbers = [Array.isArray, isPlainObject, math.isMatrix, math.isUnit, math.isComplex].some((is) =>
    is(result),
  );
  return isOfNumbers ? math.format(result, digits) : math.format(result, { precision: PRECISION });
}

// A matrix has its entries in an array.
function partsOf(result: object): object {
  if ('isUnit' in result && 'value' in result) return [result.value];
  if ('isMatrix' in result && 'valueOf' in result) return result.valueOf();
  return Array.isArray(result) || isPlainObject(result) ? result : {};
}

function isBigNumber(value: unknown): value is mathjs.BigNumber {
  return typeof value === 'object' && value !== null && 'isBigNumber' in value;
}

function isPlainObject(value: unknown): value is object {
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

function calculatorForWhole(size: number): Calculator {
  if (size < VERY_LARGE) return calculatorFor(MAX_DIGITS);
  return (whole ??= observed(createCalculator(WHOLE_DIGITS, 'BigNumber'), noteLostDigits));
}

function calculatorFor(precision: number): Calculator {
  if (precision <= NUMBER_DIGITS) {
    const observe: Observer = (name, args, result) => {
      measure(result);
      // Constants are the result of no function.
      hasFractions ||= args.some((each) => typeof each === 'number' && !Number.isInteger(each));
      if (BITWISE.has(name)) measureSize(2 ** 53);
    };
    return (plain ??= observed(createCalculator(MAX_DIGITS, 'number'), observe));
  }
  return (exact ??= createCalculator(MAX_DIGITS, 'BigNumber'));
}

/** Calls the observer for all functions and operators of an expression. */
function observed(calculator: Calculator, observe: Observer): Calculator {
  const { mathWithTransform } = calculator.math.expression;
  for (const name of Object.getOwnPropertyNames(mathWithTransform)) {
    const get = Object.getOwnPropertyDescriptor(mathWithTransform, name)?.get;
    // Functions are made when they are first used, which takes longer than most calculations.
    let watched: unknown;
    const watch = () => {
      const value: unknown = get?.call(mathWithTransform);
      return typeof value === 'function' ? new Proxy(value as typeof apply, { apply }) : value;
    };
    const apply = (called: (...args: unknown[]) => unknown, self: unknown, args: unknown[]) => {
      const result = Reflect.apply(called, self, args);
      observe(name, args, result);
      return result;
    };
    if (get !== undefined) Object.defineProperty(mathWithTransform, name, { get: () => (watched ??= watch()) });
  }
  return calculator;
}

function createCalculator(digits: number, number: 'number' | 'BigNumber'): Calculator {
  const math = create(all ?? {}) as MathInstance;
  // Plain numbers are equal when they differ by what is lost in calculating with them.
  const tolerance = 10 ** (GUARD_DIGITS - digits);
  math.config({ number, precision: digits, ...(number === 'BigNumber' && { relTol: tolerance, absTol: tolerance }) });
  const { mathWithTransform } = math.expression;
  for (const name of Object.getOwnPropertyNames(mathWithTransform)) {
    if (ALLOWED_NAMES.has(name)) continue;
    const reject = () => {
      throw new Error(`The function ${name} is switched off`);
    };
    Object.defineProperty(mathWithTransform, name, { value: reject });
  }
  return { math, digits, evaluate: math.evaluate.bind(math) as Calculator['evaluate'] };
}

// Several lines yield a set of results, of which the last is the answer.
function lastOf(result: unknown): unknown {
  const isSet = typeof result === 'object' && result !== null && 'isResultSet' in result && 'entries' in result;
  return isSet && Array.isArray(result.entries) ? result.entries.at(-1) : result;
}

/**
 * The functions of mathjs that an expression may use, by topic. Nothing else of mathjs is reachable from it: not what
 * reaches beyond one expression, changes the calculator for the next one or runs text as code, and not what a later
 * version adds.
 */
const ALLOWED_BY_TOPIC: Readonly<Record<string, string>> = {
  algebra: 'lsolve lsolveAll lup lusolve lyap polynomialRoot qr schur slu sylvester usolve usolveAll',
  arithmetic: `
    abs add addScalar cbrt ceil cube divide divideScalar dotDivide dotMultiply dotPow exp expm1 fix floor gcd hypot
    invmod lcm log log10 log1p log2 mod multiply multiplyScalar norm nthRoot nthRoots pow round sign sqrt square
    subtract subtractScalar unaryMinus unaryPlus xgcd
  `,
  bits: 'bitAnd bitNot bitOr bitXor leftShift rightArithShift rightLogShift',
  combinatorics: 'bellNumbers catalan composition stirlingS2',
  'complex numbers': 'arg conj im re',
  constants: `
    atomicMass avogadro bohrMagneton bohrRadius boltzmann classicalElectronRadius conductanceQuantum coulomb
    coulombConstant deuteronMass E e efimovFactor electricConstant electronMass elementaryCharge false faraday
    fermiCoupling fineStructure firstRadiation gasConstant gravitationConstant gravity hartreeEnergy i Infinity
    inverseConductanceQuantum klitzing LN10 LN2 LOG10E LOG2E loschmidt magneticConstant magneticFluxQuantum
    molarMass molarMassC12 molarPlanckConstant molarVolume NaN neutronMass nuclearMagneton null phi PI pi
    planckCharge planckConstant planckLength planckMass planckTemperature planckTime protonMass quantumOfCirculation
    reducedPlanckConstant rydberg sackurTetrode secondRadiation speedOfLight SQRT1_2 SQRT2 stefanBoltzmann tau
    thomsonCrossSection true vacuumImpedance weakMixingAngle wienDisplacement
  `,
  values: 'bigint bignumber boolean complex fraction index matrix number sparse splitUnit string unit',
  fractions: 'den num',
  geometry: 'distance intersect',
  logic: 'and not nullish or xor',
  matrices: `
    apply column concat count cross ctranspose det diag diff dot eigs expm fft filter flatten forEach
    getMatrixDataType identity ifft inv kron map mapSlices matrixFromColumns matrixFromFunction matrixFromRows ones
    partitionSelect pinv range reshape resize rotate rotationMatrix row size sort sqrtm squeeze subset trace
    transpose zeros
  `,
  'differential equations': 'solveODE',
  probability: `
    bernoulli combinations combinationsWithRep factorial gamma kldivergence lgamma multinomial permutations
    pickRandom random randomInt
  `,
  comparison: `
    compare compareNatural compareText deepEqual equal equalScalar equalText larger largerEq smaller smallerEq
    unequal
  `,
  sets: `
    setCartesian setDifference setDistinct setIntersect setIsSubset setMultiplicity setPowerset setSize
    setSymDifference setUnion
  `,
  signals: 'freqz zpk2tf',
  'special functions': 'erf zeta',
  statistics: 'corr cumsum mad max mean median min mode prod quantileSeq std sum variance',
  texts: 'bin format hex oct print',
  trigonometry: `
    acos acosh acot acoth acsc acsch asec asech asin asinh atan atan2 atanh cos cosh cot coth csc csch sec sech sin
    sinh tan tanh
  `,
  units: 'to toBest',
  'kinds of values': `
    clone hasNumericValue isBounded isFinite isInteger isNaN isNegative isNumeric isPositive isPrime isZero numeric
    typeOf version
  `,
};

/** The names that an expression may use: functions, constants and units of mathjs. */
export const ALLOWED_NAMES: ReadonlySet<string> = new Set(
  Object.values(ALLOWED_BY_TOPIC).flatMap((names) => names.trim().split(/\s+/)),
);
