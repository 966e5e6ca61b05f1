import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkout } from '../../scripts/stack/core/files.ts';
import { Random } from '../support/random.ts';
import { findMutants, type Mutant, mutate } from './find-mutants.ts';

// `npm run mutants [-- --seed 1 --count 60 --only 7,21 --quick]`: breaks the last commit at places that the seed
// chooses, one at a time, and counts how many `npm test` notices. Tests beside the broken file run first, then those of
// its capability: they notice most. Those that go through its group from elsewhere are next. With `--quick` no others
// run; whatever is left can be named with `--only`.

/** Each group has the same number of mutants; with parts of the paths of tests that go through its code. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  domain: ['/api/', '/activities/'],
  db: ['/api/', '/test/integration/'],
  workflows: ['/workflows/', '/test/replay/', '/test/integration/'],
  'activities/turns': ['/test/turn-machine/', '/test/integration/'],
  api: ['/test/contract/', '/test/integration/'],
};

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '60' },
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
const copy = mkdtempSync(join(tmpdir(), 'everturn-mutants-'));
execFileSync('git', ['worktree', 'add', '--detach', '--quiet', copy], { cwd: checkout });
symlinkSync(join(checkout, 'node_modules'), join(copy, 'node_modules'));
const random = new Random(Number(values.seed));
const perGroup = Math.ceil(Number(values.count) / Object.keys(GROUPS).length);
const chosen = Object.entries(GROUPS).flatMap(([group, through]) => {
  const mutants = random.shuffle(mutantsOf(group)).slice(0, perGroup);
  return mutants.map((mutant) => ({ mutant, through }));
});
const only = values.only?.split(',').map(Number);
try {
  let noticed = 0;
  for (const [at, { mutant, through }] of chosen.entries()) {
    if (only?.includes(at) === false) continue;
    const by = noticedBy(mutant, through);
    if (by !== undefined) noticed += 1;
    console.log(`${at} ${mutant.path}:${mutant.line} ${mutant.change} -> ${by ?? 'NOT NOTICED'}`);
  }
  console.log(`\n${noticed} of ${only?.length ?? chosen.length} noticed (seed ${values.seed})`);
} finally {
  execFileSync('git', ['worktree', 'remove', '--force', copy], { cwd: checkout });
  rmSync(copy, { recursive: true, force: true });
}

function mutantsOf(group: string): Mutant[] {
  const listed = execFileSync('git', ['ls-files', '-z', group], { cwd: copy, encoding: 'utf8' });
  const paths = listed.split('\0').filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
  return paths.flatMap((path) => findMutants(path, readFileSync(join(copy, path), 'utf8')));
}

function noticedBy(mutant: Mutant, through: readonly string[]): string | undefined {
  const file = join(copy, mutant.path);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, mutate(text, mutant));
  try {
    const folder = dirname(mutant.path);
    if (!passes(['--passWithNoTests', `^${copy}/${folder}/`])) return folder;
    const capability = capabilityOf(mutant.path);
    if (!passes(['--passWithNoTests', `[/-]${capability}[./-]`])) return `the tests of ${capability}`;
    if (!passes(through)) return through.join(', ');
    return values.quick || passes([]) ? undefined : 'all tests';
  } finally {
    writeFileSync(file, text);
  }
}

/** Returns the folder below the layer, by which the tests of all layers are named. */
function capabilityOf(path: string): string {
  const folder = path.split('/').at(1) ?? '';
  return folder.replace(/\.ts$/, '');
}

function passes(args: readonly string[]): boolean {
  const { status, signal } = spawnSync('npm', ['test', '--', '--bail', ...args], { cwd: copy, stdio: 'ignore' });
  // The run got the signal too: this process is not ended by it, so that it removes its worktree.
  if (signal !== null || status === null || status > 128) throw new Error('interrupted');
  return status === 0;
}
