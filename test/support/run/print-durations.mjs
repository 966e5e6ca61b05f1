import { keptRuns } from './run-reporter.mjs';

// Prints how long the last whole runs took, and the worker time of each group, as a table for docs/measurements.md.

const runs = keptRuns();
if (runs.length === 0) process.stdout.write('No run of all tests has ended in this checkout.\n');
const groups = [...new Set(runs.toReversed().flatMap((run) => Object.keys(run.groups)))];
const rows = [
  ['', ...runs.map(({ at }) => at.slice(0, 16).replace('T', ' '))],
  ['---', ...runs.map(() => '---')],
  ['The run', ...runs.map(({ seconds, failed }) => `${seconds}${failed === 0 ? '' : `, ${failed} failed`}`)],
  ...groups.map((group) => [`\`${group}\``, ...runs.map((run) => run.groups[group] ?? '')]),
];
if (runs.length > 0) process.stdout.write(rows.map((cells) => `| ${cells.join(' | ')} |\n`).join(''));
