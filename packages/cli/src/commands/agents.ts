import type { Command } from 'commander';
import { createTwoFilesPatch } from 'diff';
import { readRecords, writeRecords } from '../agents/folder.ts';
import { planOf, type Step } from '../agents/plan.ts';
import { ServerState } from '../agents/server-state.ts';
import { Context, type GlobalOptions } from '../context.ts';
import { EXIT, Failure } from '../failure.ts';
import type { Environment } from '../environment.ts';

/** Adds `agents`. */
export function agentsCommand(program: Command, environment: Environment): void {
  const agents = program.command('agents').description('keep agents, and what they use, as files of a directory');
  const contextOf = (command: Command) => new Context(environment, command.optsWithGlobals());
  agents
    .command('export')
    .description('write agents, and the tools, skills and personas of your own that they use, as files')
    .argument('<directory>', 'is replaced, unless agents are named')
    .argument('[agents...]', 'names of agents; all unless given')
    .action(async (directory: string, names: string[], _options: unknown, command: Command) =>
      exportAgents(contextOf(command), directory, names),
    );
  agents
    .command('import')
    .description('add and change what the files of a directory say; nothing is deleted')
    .argument('<directory>')
    .option('--dry-run', 'only say what would be done')
    .action(async (directory: string, _options: unknown, command: Command) => {
      const { dryRun } = command.optsWithGlobals<GlobalOptions & { readonly dryRun?: boolean }>();
      await importAgents(contextOf(command), directory, dryRun === true);
    });
  agents
    .command('diff')
    .description('show how the files of a directory differ from the server; ends with 1 when they do')
    .argument('<directory>')
    .action(async (directory: string, _options: unknown, command: Command) => showDiff(contextOf(command), directory));
}

async function exportAgents(context: Context, directory: string, names: readonly string[]): Promise<void> {
  const { client } = await context.connect();
  const state = await ServerState.read(client);
  const all = state.agents.map(({ name }) => name);
  const wanted = [...new Set(names.length === 0 ? all : names.toSorted())].map((name) => {
    const agent = state.agentOf(name);
    if (agent === undefined) throw new Failure(`There is no agent named "${name}" that you may see.`);
    return agent;
  });
  const records = await state.recordsOf(wanted, (text) => context.output.remark(text));
  writeRecords(directory, records, { isWhole: names.length === 0 });
  context.output.result({ directory, agents: wanted.map(({ name }) => name) }, () =>
    wanted.length === 1 ? `1 agent is in ${directory}.` : `${wanted.length} agents are in ${directory}.`,
  );
}

async function importAgents(context: Context, directory: string, isDryRun: boolean): Promise<void> {
  const { output } = context;
  const { client } = await context.connect();
  const steps = await planOf(client, readRecords(directory));
  for (const step of steps) {
    if (!isDryRun && step.action !== 'none') await step.apply();
    output.result(shown(step), () => `${WORDS[step.action]} ${step.folder}/${step.key}`);
  }
  if (isDryRun) output.remark('Nothing was changed.');
}

const WORDS: Readonly<Record<Step['action'], string>> = { add: 'add    ', change: 'change ', none: 'as is  ' };

function shown({ action, folder, key }: Step) {
  return { action, folder, key };
}

async function showDiff(context: Context, directory: string): Promise<void> {
  const { client } = await context.connect();
  const steps = (await planOf(client, readRecords(directory))).filter(({ action }) => action !== 'none');
  for (const step of steps) context.output.result(shown(step), () => patchOf(step));
  if (steps.length > 0) throw new Failure(differing(steps.length), EXIT.failed);
}

function differing(count: number): string {
  return count === 1 ? '1 record differs from the server.' : `${count} records differ from the server.`;
}

function patchOf({ folder, key, former, files }: Step): string {
  const paths = [...new Set([...former.keys(), ...files.keys()])].toSorted();
  return paths
    .filter((path) => former.get(path) !== files.get(path))
    .map((path) => {
      const name = `${folder}/${key}/${path}`;
      return createTwoFilesPatch(`server/${name}`, name, former.get(path) ?? '', files.get(path) ?? '').trimEnd();
    })
    .join('\n');
}
