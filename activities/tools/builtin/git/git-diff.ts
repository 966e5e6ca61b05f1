import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { FILE_PATH, pathParameter } from '../parameters.ts';
import { shownOutput } from '../shell/shown-output.ts';
import { cwdParameter, revisionParameter, runGit } from './repository.ts';

/** Shows a difference. */
export const gitDiff = defineTool({
  key: 'git_diff',
  name: 'Git diff',
  description:
    'Shows what differs: between the last commit and the files, which are staged with `staged`, between a commit and the files (`from`), or between two commits (`from` and `to`).',
  category: 'git',
  parameters: z.strictObject({
    from: revisionParameter('Commit, branch or tag to compare with.').optional(),
    to: revisionParameter('Commit, branch or tag to compare `from` with; the files when left out.').optional(),
    paths: z.array(pathParameter(FILE_PATH)).max(100).optional().describe('Only these files and folders.'),
    staged: z.boolean().optional().describe('Compares what is staged instead of the files.'),
    stat: z.boolean().optional().describe('Only the names of files and how many lines differ.'),
    cwd: cwdParameter,
  }),
  effect: 'read',
  timeoutSeconds: 90,
  needs: 'sandbox',
  run: async ({ from, to, paths = [], staged = false, stat = false, cwd }, context) => {
    const args = [
      'diff',
      ...(staged ? ['--staged'] : []),
      ...(stat ? ['--stat'] : []),
      ...[from, to].filter((revision) => revision !== undefined),
      '--',
      ...paths,
    ];
    const ending = await runGit({ args, cwd, isRead: true }, context);
    const text = await shownOutput(ending, 'stdout', context);
    return { value: text === '' ? 'Nothing differs.' : text, isForeign: ending.isForeign };
  },
});
