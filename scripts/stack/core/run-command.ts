import { spawn } from 'node:child_process';

/** The result of a command. `code` is undefined when it could not be started or was killed. */
export type CommandResult = { readonly code: number | undefined; readonly output: string };

/** Runs a command to its end and collects what it prints. Never rejects; an aborted signal kills it. */
export function runCommand(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; signal?: AbortSignal | undefined } = {},
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const { signal, ...rest } = options;
    // A group of its own: what the command starts, such as the compilers of a build, is killed with it.
    const child = spawn(command, args, { ...rest, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-8000);
      });
    }
    const abort = (): void => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has just ended.
      }
    };
    const finish = (code: number | undefined, text: string): void => {
      signal?.removeEventListener('abort', abort);
      resolve({ code, output: text });
    };
    child.once('error', (error) => finish(undefined, error.message));
    child.once('close', (code) => finish(code ?? undefined, output));
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
  });
}
