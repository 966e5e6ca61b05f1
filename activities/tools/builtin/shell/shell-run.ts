import { z } from 'zod';
import { type CommandEnding, type OpenedIntegration, SecretMask, type ToolContext } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import type { CallDescription } from '../../tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { folderPath } from '../../workspace/workspace-path.ts';
import { propertiesParameter } from '../parameters.ts';
import { shownOutput, whyEnded } from './shown-output.ts';

const DEFAULT_SECONDS = 60;
const MAX_SECONDS = 600;
/** A single argument of a program has at most 128 KB. */
const MAX_COMMAND = 32_000;
const MAX_VALUE = 8_192;
const VARIABLE = /^[A-Za-z_]\w{0,63}$/;
const MAX_LABEL = 100;
const MAX_INTEGRATIONS = 5;

/** Goes to a folder of the workspace and runs the command in the better shell of those that are there. */
const PROGRAM = 'cd -- "$1" || exit; test -x /bin/bash && exec /bin/bash -c "$2"; exec /bin/sh -c "$2"';

/** Runs a command in the sandbox. */
export const shellRun = defineTool({
  key: 'shell_run',
  name: 'Shell command',
  description:
    'Runs a shell command (bash) in the workspace (`/work`) and answers exit code, output and time. Nothing but files of the workspace is left when it has ended, no process either. ' +
    'There is no network unless `network` is true. Use it to run programs, scripts and tests; for single files use the file tools.',
  category: 'shell',
  parameters: z.strictObject({
    command: z.string().min(1).max(MAX_COMMAND).describe('What the shell runs, such as `python3 report.py > out.txt`.'),
    cwd: z
      .string()
      .max(1024)
      .optional()
      .describe('Folder of the workspace to run it in; the workspace itself when left out.'),
    env: propertiesParameter(z.string().max(MAX_VALUE), 64)
      .optional()
      .describe('Variables of the environment by name. They are stored with the call: put no secret there.'),
    integrations: z
      .array(z.string().min(1).max(100))
      .max(MAX_INTEGRATIONS)
      .optional()
      .describe(
        'Names of integrations whose credentials the command finds in variables of its environment, as far as the organization gives them to commands. They are masked in the output: do not write them to files.',
      ),
    timeout_s: z
      .int()
      .min(1)
      .max(MAX_SECONDS)
      .optional()
      .describe(`Seconds after which it is ended; ${DEFAULT_SECONDS} when left out.`),
    network: z
      .boolean()
      .optional()
      .describe(
        'Whether it reaches public addresses over http and https, by the proxy that `https_proxy` names; not everywhere allowed.',
      ),
    stdin: z.string().max(1_000_000).optional().describe('What the command reads from its standard input.'),
  }),
  effect: 'once',
  approval: 'writes',
  timeoutSeconds: MAX_SECONDS + 30,
  needs: 'sandbox',
  label: ({ command }) => `$ ${command.slice(0, MAX_LABEL).replaceAll(/\s+/g, ' ')}`,
  describe: async ({ integrations = [] }, context) => describeCredentials(integrations, context),
  run: async ({ command, cwd = '.', env = {}, integrations = [], ...options }, context) => {
    const { timeout_s: seconds = DEFAULT_SECONDS, network, stdin } = options;
    const folder = folderPath(cwd).join('/') || '.';
    rejectUnusable(command, env);
    const credentials = await CommandCredentials.open(integrations, context);
    const ran = await context.runCommand({
      command: ['/bin/sh', '-c', PROGRAM, 'sh', folder, command],
      workspace: 'write',
      environment: { ...env, ...credentials.variables },
      stdin,
      network,
      timeoutMs: seconds * 1000,
    });
    const ending = credentials.without(ran);
    const { exitCode, durationMs, isForeign } = ending;
    const shown = {
      exit_code: exitCode,
      ...endedOf(ending, seconds),
      stdout: await shownOutput(ending, 'stdout', context),
      stderr: await shownOutput(ending, 'stderr', context),
      duration_ms: durationMs,
    };
    return { value: shown, isForeign };
  },
});

function rejectUnusable(command: string, env: Readonly<Record<string, string>>): void {
  const name = Object.keys(env).find((each) => !VARIABLE.test(each));
  if (name !== undefined) throw new ToolFailure('invalid_input', `"${name}" is no name of a variable`);
  if ([command, ...Object.values(env)].some((text) => text.includes('\0')))
    throw new ToolFailure('invalid_input', 'A command and its variables cannot contain a NUL character');
}

function endedOf({ killedFor }: CommandEnding, seconds: number): { readonly ended?: string } {
  return killedFor === undefined ? {} : { ended: whyEnded(killedFor, seconds) };
}

/** Describes a command by the integrations whose credentials it finds; see `Tool.describe`. */
async function describeCredentials(
  names: readonly string[],
  { findIntegration }: Pick<ToolContext, 'findIntegration'>,
): Promise<CallDescription> {
  const integrations = await Promise.all(names.map(async (name) => findIntegration(name)));
  const details = integrations.flatMap((integration) => {
    if (integration === undefined) return [];
    const { name, apiUrl } = integration;
    return [{ label: 'Credentials', value: apiUrl === '' ? name : `${name} (${apiUrl})` }];
  });
  return { details, basis: integrations.map((integration) => integration?.connection ?? null) };
}

type Variables = Readonly<Record<string, string>>;

/** How much of a longer output is kept where credentials have to be searched for in it, in bytes. */
const MAX_MASKED = 1_000_000;
const LEFT_OUT = '\n[The rest is left out: it could contain credentials.]';

/** The credentials that a command finds in its environment, and how they are kept out of what it brings. */
class CommandCredentials {
  /** Variables with the credentials, by their names. */
  readonly variables: Variables;
  readonly #mask: SecretMask | undefined;

  private constructor(variables: Variables) {
    this.variables = variables;
    const secrets = Object.values(variables);
    this.#mask = secrets.length === 0 ? undefined : new SecretMask(secrets);
  }

  /**
   * Opens the integrations of these names. Throws `ToolFailure` when there is none of a name, or when the organization
   * gives commands no credentials of it.
   */
  static async open(
    names: readonly string[],
    { openIntegration }: Pick<ToolContext, 'openIntegration'>,
  ): Promise<CommandCredentials> {
    const variables: Record<string, string> = {};
    for (const name of names) Object.assign(variables, variablesOf(name, await openIntegration(name)));
    return new CommandCredentials(variables);
  }

  /** Returns how a command ended, with its output without the credentials. */
  without(ending: CommandEnding): CommandEnding {
    if (this.#mask === undefined) return ending;
    const [stdout, stderr] = [ending.stdout, ending.stderr].map((output) => this.#masked(output));
    return { ...ending, stdout: stdout ?? ending.stdout, stderr: stderr ?? ending.stderr };
  }

  #masked(output: Buffer): Buffer | undefined {
    if (output.length <= MAX_MASKED) return Buffer.from(this.#mask?.mask(output.toString()) ?? '');
    const begin = this.#mask?.maskBeginning(output.subarray(0, MAX_MASKED).toString()) ?? '';
    return Buffer.from(`${begin}${LEFT_OUT}`);
  }
}

function variablesOf(name: string, integration: OpenedIntegration | undefined): Variables {
  if (integration === undefined) throw new ToolFailure('not_found', `There is no integration named ${name}`);
  const { commandVariables = {}, secrets } = integration;
  const given = Object.entries(commandVariables).flatMap(([variable, field]) => {
    const secret = secrets[field];
    return secret === undefined ? [] : [[variable, secret] as const];
  });
  if (given.length > 0) return Object.fromEntries(given);
  const words = `The organization gives commands no credentials of the integration ${name}; its command_variables say which`;
  throw new ToolFailure('denied', words);
}
