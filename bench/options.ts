import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** The parts of the bench, in the order in which they are measured. */
export const SECTION_NAMES = [
  'first-token',
  'standing-chats',
  'new-chats',
  'peers',
  'endpoints',
  'lengths',
  'streams',
  'recovery',
  'memory',
  'tools',
  'delegation',
  'interrupt',
  'calls',
  'history',
  'permissions',
  'equipped-agent',
  'tool-offer',
  'search',
  'knowledge',
  'workspaces',
  'work',
  'automation',
  'idle',
  'lost-store',
  'console',
  'lighthouse',
] as const;

export type SectionName = (typeof SECTION_NAMES)[number];

/** The duration and size of the measurements. */
export interface BenchOptions extends Lengths {
  readonly sections: readonly SectionName[];
  /** Folder of another checkout, which is measured by turns with this one. */
  readonly compare: string | undefined;
  /** How many times the rounds of a comparison are gone through. */
  readonly repeat: number;
  /** Folder for CPU profiles of the api and the worker; profiling makes both slower. */
  readonly cpuProfile: string | undefined;
}

interface Lengths {
  /** Turns, one at a time in one chat, from which the latencies come, and those before that are not counted. */
  readonly latencyTurns: number;
  readonly latencyWarmUpTurns: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  readonly floorWarmUpMs: number;
  readonly floorMeasureMs: number;
  /** Of the load with a new chat for each turn. The tail is longer than a workflow stays open without a message. */
  readonly newChatMs: number;
  readonly newChatTailMs: number;
  /** How many of the lengths of turns are measured, which share of their turns, and how long each is followed up. */
  readonly turnLengths: number;
  readonly turnLengthShare: number;
  readonly turnLengthTailMs: number;
  /** New chats before memory is measured, and how long they are left alone until it is measured again. */
  readonly memoryChats: number;
  readonly memoryIdleMs: number;
  /** Times that the worker is killed. */
  readonly kills: number;
  /** Turns of each kind that are compared with each other, one at a time. */
  readonly comparedTurns: number;
  /** Interrupts in each state, at each endpoint. */
  readonly interrupts: number;
  readonly streamMs: number;
  /** Messages of the user who searches, one after the other. */
  readonly searchSizes: readonly number[];
  /** Passages of the knowledge base in which searches are measured. */
  readonly knowledgePassages: number;
  /** Tasks on the board and issues in the lists that are read, and tasks that are added at once. */
  readonly boardTasks: number;
  readonly listedIssues: number;
  readonly tasksAtOnce: number;
  /** How long webhooks are sent at once. */
  readonly webhookMs: number;
  /** Schedules that are due at the same time, and that are listed. */
  readonly dueSchedules: number;
  readonly listedSchedules: number;
  /** Schedules, chats and organizations of an installation in which nothing happens, and how long it is measured. */
  readonly idleSchedules: number;
  readonly idleChats: number;
  readonly idleOrgs: number;
  readonly idleSectionMs: number;
  /** Messages to addresses outside. */
  readonly deliveries: number;
  /** Messages of the chat that a browser opens, how long it is left alone then, and tokens that are streamed to it. */
  readonly consoleMessages: number;
  readonly consoleIdleMs: number;
  readonly streamedTokens: number;
  /** How long the use of an idle installation is looked at. */
  readonly idleMs: number;
}

const WHOLE: Lengths = {
  latencyTurns: 200,
  latencyWarmUpTurns: 20,
  warmUpMs: 4_000,
  measureMs: 20_000,
  floorWarmUpMs: 2_000,
  floorMeasureMs: 10_000,
  newChatMs: 60_000,
  newChatTailMs: 65_000,
  turnLengths: 4,
  turnLengthShare: 1,
  turnLengthTailMs: 65_000,
  memoryChats: 4_000,
  memoryIdleMs: 240_000,
  kills: 3,
  comparedTurns: 100,
  interrupts: 40,
  streamMs: 20_000,
  searchSizes: [10_000, 40_000, 160_000],
  knowledgePassages: 10_000,
  boardTasks: 2_000,
  listedIssues: 10_000,
  tasksAtOnce: 200,
  webhookMs: 5_000,
  dueSchedules: 1_000,
  listedSchedules: 1_000,
  idleSchedules: 10_000,
  idleChats: 10_000,
  idleOrgs: 1_000,
  idleSectionMs: 300_000,
  deliveries: 1_000,
  consoleMessages: 10_000,
  consoleIdleMs: 30_000,
  streamedTokens: 180_000,
  idleMs: 10_000,
};

const QUICK: Lengths = {
  latencyTurns: 60,
  latencyWarmUpTurns: 10,
  warmUpMs: 1_000,
  measureMs: 3_000,
  floorWarmUpMs: 500,
  floorMeasureMs: 1_500,
  newChatMs: 4_000,
  newChatTailMs: 2_000,
  turnLengths: 2,
  turnLengthShare: 0.2,
  turnLengthTailMs: 2_000,
  memoryChats: 200,
  memoryIdleMs: 3_000,
  kills: 1,
  comparedTurns: 20,
  interrupts: 5,
  streamMs: 4_000,
  searchSizes: [2_000, 8_000],
  knowledgePassages: 1_000,
  boardTasks: 200,
  listedIssues: 500,
  tasksAtOnce: 40,
  webhookMs: 1_000,
  dueSchedules: 200,
  listedSchedules: 100,
  idleSchedules: 100,
  idleChats: 1_000,
  idleOrgs: 100,
  idleSectionMs: 20_000,
  deliveries: 200,
  consoleMessages: 500,
  consoleIdleMs: 5_000,
  streamedTokens: 12_000,
  idleMs: 2_000,
};

/** Reads the command line: `--quick`, `--only`, `--compare`, `--repeat`, `--cpu-profile`. Throws for anything else. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      compare: { type: 'string' },
      repeat: { type: 'string', default: '1' },
      'cpu-profile': { type: 'string' },
    },
  });
  const { compare, 'cpu-profile': cpuProfile } = values;
  const lengths = values.quick ? QUICK : WHOLE;
  if (compare !== undefined && cpuProfile !== undefined) throw new Error('Profile one checkout at a time.');
  return {
    ...lengths,
    sections: readSections(values.only),
    compare: compare === undefined ? undefined : resolve(compare),
    repeat: readCount(values.repeat),
    cpuProfile: cpuProfile === undefined ? undefined : resolve(cpuProfile),
  };
}

function readCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new Error(`--repeat must be a number from 1 on, not "${text}".`);
  return count;
}

function readSections(list: string | undefined): readonly SectionName[] {
  if (list === undefined) return SECTION_NAMES;
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !SECTION_NAMES.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`There is no section "${unknown}": ${SECTION_NAMES.join(', ')}`);
  return SECTION_NAMES.filter((name) => names.includes(name));
}
