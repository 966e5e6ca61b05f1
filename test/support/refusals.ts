/** The code and the words of a refusal; undefined when nothing was refused. */
export type Refusal = readonly [code: string, message: string] | undefined;

const CODES = new Map([
  [403, 'forbidden'],
  [404, 'not_found'],
  [409, 'conflict'],
  [412, 'precondition_failed'],
  [422, 'unprocessable'],
]);

interface Answer {
  readonly status: number;
  readonly json: { readonly detail?: string | readonly { readonly msg: string }[] };
}

/** Returns how a request was refused; of several issues the first. */
export async function refusalIn(request: Promise<Answer>): Promise<Refusal> {
  const { status, json } = await request;
  if (status < 300) return undefined;
  const { detail = '' } = json;
  return [CODES.get(status) ?? String(status), typeof detail === 'string' ? detail : (detail[0]?.msg ?? '')];
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
