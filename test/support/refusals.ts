/** The code and the words of a refusal; undefined when nothing was refused. */
export type Refusal = readonly [code: string, message: string] | undefined;

const CODES = new Map([
  [403, 'forbidden'],
  [404, 'not_found'],
  [409, 'conflict'],
  [412, 'precondition_failed'],
  [422, 'unprocessable'],
]);

/** The body of a response that may be a refusal. */
export interface MaybeRefused {
  readonly detail?: string | readonly { readonly msg: string }[];
}

interface Answer {
  readonly status: number;
  readonly json: MaybeRefused;
}

/** Returns how a request was refused. */
export async function refusalIn(request: Promise<Answer>): Promise<Refusal> {
  const { status, json } = await request;
  return status < 300 ? undefined : [CODES.get(status) ?? String(status), wordsIn(json)];
}

/** Returns the words of a refusal; of several issues the first. */
export function wordsIn({ detail = '' }: MaybeRefused): string {
  return typeof detail === 'string' ? detail : (detail[0]?.msg ?? '');
}

/** Returns how an operation, or a tool that calls it, has refused. */
export async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  try {
    await work;
    return undefined;
  } catch (error) {
    // A failure of a tool has a coarser class, and the operation's error as its cause, unless its arguments are at
    // fault.
    const { cause = error, message } = error as Error;
    return [(cause as { readonly code?: string }).code ?? 'unprocessable', message];
  }
}
