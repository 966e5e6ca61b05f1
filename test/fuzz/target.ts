import fc from 'fast-check';

/** Which inputs are chosen, and how many. */
type CheckOptions = Pick<fc.Parameters, 'seed' | 'numRuns' | 'interruptAfterTimeLimit' | 'markInterruptAsFailure'>;

/** The characters of an input that are shown. */
const MAX_SHOWN = 4_000;

/** Something that reads what strangers send, and inputs for it. */
export interface FuzzTarget {
  readonly name: string;
  /** The cases of every run of the tests. */
  readonly cases: number;
  /** Reads inputs, and returns how many; throws the smallest one that it finds to do harm. */
  readonly check: (options: CheckOptions) => Promise<number>;
}

/** Makes a target. `read` throws what no stranger's input may cause. */
export function target<T>(
  name: string,
  cases: number,
  inputs: fc.Arbitrary<T>,
  read: (input: T) => unknown,
): FuzzTarget {
  const check = async (options: CheckOptions) => {
    const property = fc.asyncProperty(inputs, async (input) => {
      await read(input);
    });
    const { failed, numRuns, counterexample, errorInstance } = await fc.check(property, options);
    if (!failed) return numRuns;
    const input = fc.stringify(counterexample?.[0]).slice(0, MAX_SHOWN);
    throw new Error(`EVERTURN_FUZZ_SEED=${options.seed}: ${input}`, { cause: errorInstance });
  };
  return { name, cases, check };
}
