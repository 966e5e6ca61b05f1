import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { propertiesParameter } from '../parameters.ts';

/** Evaluates an expression. */
export const mathEvaluate = defineTool({
  key: 'math_evaluate',
  name: 'Calculator',
  description:
    'Calculates an expression exactly instead of guessing: arithmetic, functions, units (`5 inch to cm`), matrices, complex numbers, statistics. ' +
    'Syntax of mathjs. Several lines may assign variables; the last value is the result.',
  category: 'utility',
  parameters: z.strictObject({
    expression: z
      .string()
      .min(1)
      .max(10_000)
      .describe('What to calculate, such as `sqrt(3^2 + 4^2)` or `mean([1, 2, 3])`.'),
    variables: propertiesParameter(z.unknown(), 200)
      .optional()
      .describe(
        'Values of variables by name: numbers, texts, truth values, or arrays of them. A text such as `5 cm` is not read as a unit; write `unit(name)` in the expression.',
      ),
    precision: z
      .int()
      .min(1)
      .max(64)
      .optional()
      .describe(
        'Significant digits of the result; when left out 14, and all of a whole number. More than 15 calculates with big decimal numbers.',
      ),
  }),
  effect: 'read',
  timeoutSeconds: 10,
  inline: true,
  run: async ({ expression, variables = {}, precision }, context) => {
    const text = await context.compute({
      kind: 'math',
      expression,
      variables,
      ...(precision !== undefined && { precision }),
    });
    return { value: JSON.parse(text) };
  },
});
