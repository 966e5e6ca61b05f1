import { setTimeout as sleep } from 'node:timers/promises';
import { PAUSE_MS } from '../../loads/latency.ts';
import { ModelControl } from '../../instance/start-model.ts';
import { openChat, type OpenChat } from '../../instance/open-chat.ts';
import { figure, printHeading, printRows } from '../../report/target.ts';
import type { Bench, SectionResult } from '../../section.ts';
import { quantile } from '../../figures/statistics.ts';
import { type TimedTurn, timeTurn } from '../../loads/timed-turn.ts';

/** Messages that a chat holds before it is measured. The last two are more than a window of 64,000 tokens takes. */
const AGES = [0, 50, 500, 2_000] as const;

interface AgedChat {
  readonly age: number;
  readonly chat: OpenChat;
  readonly turns: TimedTurn[];
}

/** Measures and prints the time before the model is asked, in chats of several ages. */
export async function measureLongChats({ instance, options }: Bench): Promise<SectionResult> {
  const model = new ModelControl(instance.model.url);
  await model.followDirectives();
  const chats: AgedChat[] = [];
  for (const age of AGES) {
    chats.push({ age, chat: await openChat(instance, { messages: age }), turns: [] });
  }
  for (let at = -2; at < options.comparedTurns; at += 1) {
    for (const { chat, turns } of chats) {
      const turn = await timeTurn(model, chat, '[[say It is noon.]]', 1);
      if (at >= 0) turns.push(turn);
      await sleep(PAUSE_MS);
    }
  }
  printHeading(
    `Before the model call, by the age of the chat: message sent -> request at the model, ${options.comparedTurns} turns of each (ms)`,
  );
  printRows([['', 'p50', 'p95', 'whole turn p50', 'messages in the request', 'KB'], ...chats.map(toRow)]);
  for (const { chat } of chats) chat.client.close();
  const p50Of = (age: number): number => quantile(chats.filter((chat) => chat.age === age).flatMap(beforeModel), 0.5);
  return {
    targets: [
      {
        name: 'before the model call at 500 messages, p50',
        measured: p50Of(500),
        better: 'less',
        unit: 'ms',
        floor: p50Of(0),
      },
      { name: 'the same at 2,000 messages', measured: p50Of(2_000), better: 'less', unit: 'ms', floor: p50Of(0) },
    ],
  };
}

function beforeModel({ turns }: AgedChat): number[] {
  return turns.map(({ times, requests }) => (requests[0]?.startedAt ?? Number.NaN) - times.sentAt);
}

function toRow(chat: AgedChat): string[] {
  const before = beforeModel(chat);
  const messages = chat.turns.at(-1)?.requests[0]?.messages ?? [];
  return [
    chat.age === 0 ? 'a new chat' : `${chat.age} messages`,
    figure(quantile(before, 0.5)),
    figure(quantile(before, 0.95)),
    figure(
      quantile(
        chat.turns.map(({ ownMs }) => ownMs),
        0.5,
      ),
    ),
    String(messages.length),
    figure(JSON.stringify(messages).length / 1024, 0),
  ];
}
