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
