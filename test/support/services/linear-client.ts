import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PROGRAM = fileURLToPath(new URL('linear-client.mjs', import.meta.url));

/** Calls a method of Linear's own client with a server in place of Linear, and returns what matters of its answer. */
export async function callLinear(
  { url, key }: { readonly url: string; readonly key: string },
  method: string,
  ...args: readonly unknown[]
): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    PROGRAM,
    `${url}/graphql`,
    key,
    method,
    JSON.stringify(args),
  ]);
  return JSON.parse(stdout);
}
