import { z } from 'zod';
import type { RunEffect } from '../../tool.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { shownOutput } from '../shell/shown-output.ts';
import { cwdParameter, runGit } from './repository.ts';

const READS = ['status', 'log', 'show', 'blame', 'ls-files', 'rev-parse'] as const;
const COMMANDS = [...READS, 'tag', 'stash', 'restore', 'init'] as const;
type Command = (typeof COMMANDS)[number];

/** Options that start programs, or that write where they like. */
const REFUSED = /^--(?:upload-pack|receive-pack|exec|ext-diff|textconv|output|config-env|open-files-in-pager)\b/;
/** The options that `init` may have: others copy settings, or put the repository where tools may write. */
const OF_INIT = /^(?:-q|--quiet|-b.*|--initial-branch(?:=.*)?|--object-format=sha(?:1|256))$/s;

const parameters = z.strictObject({
  args: z
    .array(z.string().min(1).max(4_096))
    .min(1)
    .max(100)
    .describe(
      `What follows \`git\`: one of ${COMMANDS.join(', ')}, and its arguments, such as ["log", "--oneline", "-5"].`,
    ),
  cwd: cwdParameter,
});

type Arguments = z.output<typeof parameters>;

/** Runs one of the commands of git that have no tool of their own. */
export const git = defineTool({
  key: 'git',
  name: 'Git',
  description:
    'Runs a git command in a repository of the workspace. For commits, differences and branches there are `git_commit`, `git_diff` and `git_branch`.',
  category: 'git',
  parameters,
  effect: 'once',
  timeoutSeconds: 90,
  needs: 'sandbox',
  effectOf,
  label: ({ args }) => `git ${args.join(' ').slice(0, 100)}`,
  run: async (call, context) => {
    const { args, cwd } = call;
    const isInit = commandOf(args) === 'init';
    const refused = args.find((arg) => REFUSED.test(arg) || (isInit && arg.startsWith('-') && !OF_INIT.test(arg)));
    if (refused !== undefined)
      throw new ToolFailure('invalid_input', `The option ${refused.slice(0, 100)} is not allowed`);
    const ending = await runGit({ args, cwd, isRead: effectOf(call) === 'read', isOutside: isInit }, context);
    return { value: await shownOutput(ending, 'stdout', context), isForeign: ending.isForeign };
  },
});

function commandOf([name = '']: readonly string[]): Command {
  const command = COMMANDS.find((each) => each === name);
  if (command !== undefined) return command;
  throw new ToolFailure('invalid_input', `args must begin with one of ${COMMANDS.join(', ')}`);
}

// Stashes and tags are numbered or named anew each time; to restore and to begin twice is the same as once.
function effectOf({ args }: Arguments): RunEffect {
  const [name = '', ...rest] = args;
  if (READS.some((read) => read === name)) return 'read';
  if (name === 'restore' || name === 'init') return 'keyed';
  if (name === 'tag') return rest.length === 0 || rest[0] === '-l' || rest[0] === '--list' ? 'read' : 'once';
  return name === 'stash' && (rest[0] === 'list' || rest[0] === 'show') ? 'read' : 'once';
}
