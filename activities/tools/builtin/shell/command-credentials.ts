import { type CommandEnding, type OpenedIntegration, SecretMask, type ToolContext } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';

type Variables = Readonly<Record<string, string>>;

/** Of a longer output only the begin is kept where credentials have to be looked for in it, in bytes. */
const MAX_MASKED = 1_000_000;
const LEFT_OUT = '\n[The rest is left out: it could hold credentials.]';

/** The credentials that a command finds in its environment, and how they are kept out of what it brings. */
export class CommandCredentials {
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
