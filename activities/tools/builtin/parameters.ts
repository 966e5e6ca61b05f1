import { z } from 'zod';
import { MAIL_ADDRESS } from '../../../domain/network/host-names.ts';
import { ToolFailure } from '../tool-failure.ts';

/** The schema of one mail address, without a name. */
export const mailAddress = z.string().min(3).max(320).regex(MAIL_ADDRESS, 'must be a mail address');

/** The id of a record, as a parameter: in any letters, which become those of the API. */
export const recordId = z
  .string()
  .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/)
  .toLowerCase();

/** Makes the schema of an object with values of one kind under any names. */
export function propertiesParameter<V extends z.ZodType>(value: V, maxProperties: number) {
  return z
    .record(z.string(), value)
    .refine(
      (properties) => Object.keys(properties).length <= maxProperties,
      `must NOT have more than ${maxProperties} properties`,
    )
    .meta({ maxProperties });
}

/** Describes a path to a file of the workspace. */
export const FILE_PATH = 'Relative path in the workspace, such as `notes/plan.md`.';

/** Makes the schema of a path inside the workspace. */
export function pathParameter(description: string) {
  return z.string().min(1).max(1024).describe(description);
}

/** The cursor at which a list continues. */
export const cursorParameter = z.string().max(2_000).optional().describe('The `next` of a former page.');

/** The name of the integration that a call works with. */
export const integrationParameter = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe('Name of the integration, where the organization has several of this kind.');

/** Returns the argument that an action needs; throws `ToolFailure` when it was left out. */
export function requireArgument<N extends string>(
  args: { readonly action: string } & { readonly [K in N]?: string | undefined },
  name: N,
): string {
  const value: string | undefined = args[name];
  if (value !== undefined) return value;
  throw new ToolFailure('invalid_input', `The action ${args.action} requires ${name}`);
}
