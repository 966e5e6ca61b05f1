import type { ToolContext } from '../../../context.ts';
import { keepWhole } from '../../keep-whole.ts';

/** A part of an answer that is shown, and what is said of the rest. */
export interface ShownPart {
  readonly shown: unknown;
  /** What is not shown, such as `20 series`; undefined when that is nothing. */
  readonly leftOut: string | undefined;
}

type Place = Pick<ToolContext, 'workspace' | 'idempotencyKey'>;

/** Returns the first values of a list, and how many others there are. */
export function firstOf(values: readonly unknown[], most: number, what: string): ShownPart {
  const rest = values.length - most;
  return { shown: values.slice(0, most), leftOut: rest > 0 ? `${rest} more ${what}` : undefined };
}

/** Returns what is said of the rest of an answer, whose whole is kept as JSON in a file of the workspace. */
export async function noteOfRest(
  { leftOut }: ShownPart,
  whole: string,
  context: Place,
): Promise<{ readonly left_out?: string; readonly file?: string | undefined }> {
  if (leftOut === undefined) return {};
  const file = await keepWhole({ bytes: Buffer.from(whole), name: 'prometheus.json', isForeign: true }, context);
  return file === undefined ? { left_out: `${leftOut}; the whole could not be kept` } : { left_out: leftOut, file };
}
