import type { Random } from '../../test/support/random.ts';
import { between, weighted } from '../random.ts';
import { type Reach, ScriptWriter } from './script-writer.ts';
import type { MessagePlan, PlannedInterrupt, PlannedTurn } from './turn-plan.ts';

/** The frequency of each kind of turn. */
const KINDS = { plain: 300, tools: 400, pair: 80, tree: 40, wood: 6, failover: 130, wait: 30, failure: 14 } as const;

type Kind = keyof typeof KINDS;

/** Without one the size of a run is left to chance alone: 1 + 5 + 25 turns. */
const WOOD_AFTER = 20;

interface Wanted {
  readonly turns: number;
  readonly chats: number;
  readonly reach: Reach;
}

/** Returns all messages of a run, in the order in which they are sent. */
export function planMessages(random: Random, { turns, chats, reach }: Wanted): MessagePlan[] {
  const writer = new ScriptWriter(random, reach);
  return Array.from({ length: turns }, (_, index) => {
    const kind = index === WOOD_AFTER ? 'wood' : weighted(random, KINDS);
    return {
      index,
      kind,
      chat: random.below(chats),
      messageId: `message-${index}`,
      turn: WRITE[kind](writer, `t${index}`),
      isTogether: random.chance(0.08),
      interrupt: kind !== 'failure' && random.chance(0.15) ? planInterrupt(random) : undefined,
    };
  });
}

const WRITE: Readonly<Record<Kind, (writer: ScriptWriter, name: string) => PlannedTurn>> = {
  plain: (writer, name) => writer.plain(name),
  tools: (writer, name) => writer.tools(name),
  pair: (writer, name) => writer.tree(name, [2]),
  tree: (writer, name) => writer.tree(name, [2, 2]),
  wood: (writer, name) => writer.tree(name, [5, 5]),
  failover: (writer, name) => writer.failover(name),
  wait: (writer, name) => writer.wait(name),
  failure: (writer, name) => writer.failure(name),
};

function planInterrupt(random: Random): PlannedInterrupt {
  return {
    afterMs: between(random, 0, 3_000),
    by: random.chance(0.5) ? 'request' : 'socket',
    isTwice: random.chance(0.2),
  };
}
