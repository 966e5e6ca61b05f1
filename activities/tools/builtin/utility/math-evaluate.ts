import { compute } from '../../compute/index.ts';
import type { ToolImplementation } from '../../tool.ts';

interface Arguments {
  readonly expression: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly precision?: number;
}

const PRECISION = 14;

/** Calculates an expression. */
export const mathEvaluate: ToolImplementation = {
  run: async (given, context) => {
    const { expression, variables = {}, precision = PRECISION } = given as unknown as Arguments;
    const text = await compute({ kind: 'math', expression, variables, precision }, context);
    return { value: JSON.parse(text) as string };
  },
};
