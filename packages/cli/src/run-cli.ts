import tab from '@bomb.sh/tab/commander';
import { Command, CommanderError } from 'commander';
import { agentsCommand } from './commands/agents.ts';
import { chatCommand } from './commands/chat.ts';
import { logsCommand } from './commands/logs.ts';
import { runCommand } from './commands/run.ts';
import { schedulesCommand } from './commands/schedules.ts';
import { signInCommands } from './commands/sign-in.ts';
import { failureOf } from './failure.ts';
import { Output } from './output.ts';
import { VERSION } from './server.ts';
import type { Environment } from './environment.ts';

const COMMANDS = [...signInCommands, chatCommand, runCommand, schedulesCommand, logsCommand, agentsCommand];

/** Runs the program with its arguments, and returns its exit code. */
export async function runCli(args: readonly string[], environment: Environment): Promise<number> {
  const isJson = args.includes('--json');
  const program = new Command('everturn')
    .description('Talks to an Everturn server.')
    .version(VERSION)
    .option('--url <address>', 'the server, instead of that of the last sign-in (or set EVERTURN_URL)')
    .option('--json', 'write JSON')
    .exitOverride()
    .showHelpAfterError('(--help says more)')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => environment.stdout.write(text),
      writeErr: (text) => {
        if (!isJson) environment.stderr.write(text);
      },
    });
  for (const add of COMMANDS) add(program, environment);
  const completion = tab(program, { completionCommandName: 'completion' });
  for (const command of completion.commands.values())
    for (const option of program.options)
      if (option.name() !== 'version') command.option(option.name(), option.description);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) return 0;
    // Commander has written its own for people.
    if (isJson || !(error instanceof CommanderError)) new Output(environment, isJson).failure(failure.message);
    return failure.exitCode;
  }
}
