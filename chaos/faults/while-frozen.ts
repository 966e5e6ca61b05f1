import type { Part, TestStack } from '../../test/support/test-stack.ts';

/**
 * Lets a part stand still while something is done, so that the spare one of its kind gets the work. Short enough, it
 * loses nothing by that.
 */
export async function whileFrozen<T>(stack: TestStack, part: Part, work: () => Promise<T>): Promise<T> {
  stack.freeze(part);
  try {
    return await work();
  } finally {
    stack.thaw(part);
  }
}
