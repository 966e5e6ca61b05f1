import { loadavg } from 'node:os';
import { PARTS, type Part } from '../support/test-stack.ts';
import type { NeighbourTurn } from './neighbour.ts';
import type { AttackResult } from './attack-run.ts';

const PART_NAMES: Record<Part, string> = {
  api: 'api',
  worker: 'worker',
  temporal: 'Temporal',
  postgres: 'PostgreSQL',
};
const COLUMNS = [
  ['attack', 76],
  ['what became of it', 64],
  ['turns', 5],
  ['p50', 7],
  ['p95', 7],
  ['worst', 7],
  ['restarts', 8],
] as const;

/** The first two lines of the table. */
export const TABLE_HEAD = `${line(COLUMNS.map(([title]) => title))}\n${line(COLUMNS.map(([, width]) => '-'.repeat(width)))}`;

/** The time below which so large a part of the turns stayed (nearest rank), in milliseconds. */
export function percentile(turns: readonly NeighbourTurn[], part: number): number {
  const times = turns.map(({ tookMs = 0 }) => tookMs).toSorted((a, b) => a - b);
  return times[Math.max(0, Math.ceil(part * times.length) - 1)] ?? 0;
}

/** What an account did, what became of it, and what the neighbour felt of it. */
export function tableRow({ family, attack, outcome, turns, ended }: AttackResult): string {
  const restarts = ended.length === 0 ? 'none' : ended.map((part) => PART_NAMES[part]).join(', ');
  return line([`${family}: ${attack}`, outcome ?? 'NOT AS PROMISED', ...figures(turns), restarts]);
}

/** The last line of the table: all attacks together. */
export function tableSum(result: readonly AttackResult[]): string {
  const turns = result.flatMap((each) => each.turns);
  const [count, p50, p95, worst] = figures(turns);
  const unanswered = turns.filter(({ failure }) => failure !== undefined).length;
  const restarts = PARTS.map((part) => {
    const times = result.flatMap(({ ended }) => ended).filter((each) => each === part).length;
    return `${PART_NAMES[part]} ${times}`;
  });
  return (
    `${result.length} attacks; the neighbour's ${count} turns: p50 ${p50}, p95 ${p95}, worst ${worst}, ` +
    `${unanswered} unanswered; restarts: ${restarts.join(', ')}; load of the machine ${loadavg()[0]?.toFixed(1)}`
  );
}

function figures(turns: readonly NeighbourTurn[]): string[] {
  const inSeconds = (part: number) => `${(percentile(turns, part) / 1000).toFixed(2)} s`;
  return [String(turns.length), inSeconds(0.5), inSeconds(0.95), inSeconds(1)];
}

function line(cells: readonly string[]): string {
  return COLUMNS.map(([, width], at) => cut(cells[at] ?? '', width).padEnd(width))
    .join('  ')
    .trimEnd();
}

function cut(cell: string, width: number): string {
  const flat = cell.replaceAll(/\s+/g, ' ');
  return flat.length > width ? `${flat.slice(0, width - 1)}…` : flat;
}
