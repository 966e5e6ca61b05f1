import { sum } from '../figures/statistics.ts';
import { figure, printHeading, printRows, type Target, verdictOf, wantedOf } from './target.ts';

/** The targets of one round of one checkout. */
export interface Round {
  readonly label: 'A' | 'B';
  readonly targets: readonly Target[];
}

/** A figure of both checkouts. */
export interface ComparedFigure {
  /** As B has it, with the mean of its rounds. */
  readonly target: Target;
  readonly a: { readonly mean: number; readonly rounds: readonly number[] };
  readonly b: { readonly mean: number; readonly rounds: readonly number[] };
  /** How much more B has than A, in percent. */
  readonly difference: number;
  /** Half of the range of each checkout's rounds, the greater one in percent: less than that proves nothing. */
  readonly noise: number;
}

/** Puts the figures of the same name side by side, in the order of the rounds. */
export function compare(rounds: readonly Round[]): ComparedFigure[] {
  // A figure is told by its name and by what it is a part of: the parts of every CPU time have the same names.
  const keyed = rounds.map(({ label, targets }) => ({ label, targets: withPaths(targets) }));
  const paths = [...new Set(keyed.flatMap(({ targets }) => targets.map(([path]) => path)))];
  return paths.flatMap((path) => {
    const of = (wanted: Round['label']): Target[] =>
      keyed
        .filter(({ label }) => label === wanted)
        .flatMap(({ targets }) => targets.filter(([own]) => own === path).map(([, target]) => target));
    const [a, b] = [summary(of('A')), summary(of('B'))];
    const [first] = [...of('B'), ...of('A')];
    if (first === undefined) return [];
    const target = { ...first, measured: b.mean };
    const noise = Math.max(rangeOf(a), rangeOf(b)) / 2;
    return { target, a, b, difference: (b.mean / a.mean - 1) * 100, noise };
  });
}

/** Prints both checkouts side by side. */
export function printComparison(figures: readonly ComparedFigure[]): void {
  if (figures.length === 0) return;
  printHeading('A and B: means of the rounds, the difference, and how far the rounds of one checkout lie apart');
  printRows([
    ['', 'wanted', 'A', 'B', 'unit', 'B to A', '+-', 'verdict on B', 'rounds of A', 'rounds of B'],
    ...figures.map(({ target, a, b, difference, noise }) => [
      target.name,
      wantedOf(target),
      figure(a.mean),
      figure(b.mean),
      target.unit,
      percent(difference),
      `${figure(noise, 0)} %`,
      judge(target, difference, noise),
      a.rounds.map((value) => figure(value)).join(' '),
      b.rounds.map((value) => figure(value)).join(' '),
    ]),
  ]);
}

function withPaths(targets: readonly Target[]): [string, Target][] {
  let parent = '';
  return targets.map((target) => {
    if (target.name.startsWith(' ')) return [`${parent}/${target.name}`, target];
    parent = target.name;
    return [parent, target];
  });
}

function summary(targets: readonly Target[]): ComparedFigure['a'] {
  const rounds = targets.map(({ measured }) => measured);
  return { mean: sum(rounds) / rounds.length, rounds };
}

function rangeOf({ mean, rounds }: ComparedFigure['a']): number {
  return ((Math.max(...rounds) - Math.min(...rounds)) / mean) * 100;
}

function percent(value: number): string {
  return Number.isFinite(value) ? `${value > 0 ? '+' : ''}${figure(value)} %` : '-';
}

function judge(target: Target, difference: number, noise: number): string {
  const { mostWorse, better } = target;
  if (mostWorse === undefined) return verdictOf(target);
  const worse = better === 'less' ? difference : -difference;
  if (Math.abs(worse - mostWorse) < noise) return 'unclear';
  return worse <= mostWorse ? 'met' : `over +${mostWorse} %`;
}
