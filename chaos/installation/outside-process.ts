import { type HostBeginning, HostLife } from '../host.ts';
import { RemoteA2aAgent } from '../../test/support/a2a/remote-agent.ts';
import { startScriptedModel } from '../../test/support/scripted-model/index.ts';
import { ReportSinks } from './report-sinks.ts';
import { EffectSink, WebhookSink } from './sinks.ts';
import { type ModelReply, readReply } from './model-reply.ts';

// The outside world as a process of its own: the model's provider, the effect sink, a code host, addresses that are
// told of runs, a mail server and a chat service that they are reported to, and an agent of another platform. Started
// by `outside.ts`; it reports its ports, does what each message asks for and responds to it, and ends with its parent.

/**
 * What the parent asks for: all that was recorded, what has asked people to decide since so many arrivals, that people
 * work at the code host, or that they stop.
 */
export type OutsideAsk =
  | { readonly ask: 'facts' | 'calm' }
  | { readonly ask: 'asks'; readonly since: number }
  | { readonly ask: 'begin'; readonly host: HostBeginning };

/** A request of the parent, whose answer has its number. */
export interface OutsideRequest {
  readonly number: number;
  readonly asked: OutsideAsk;
}

/** Requests that the model itself remembers: none is asked for. */
const JOURNAL_LIMIT = 100;

const replies = new Map<number, ModelReply>();
const sink = await new EffectSink().start();
const host = await HostLife.start();
const notified = await new WebhookSink().start();
const reports = await ReportSinks.start();
const remote = await RemoteA2aAgent.start();
const model = await startScriptedModel({
  journalLimit: JOURNAL_LIMIT,
  onEnd: (entry) => replies.set(entry.id, readReply(entry)),
});

async function answer(asked: OutsideAsk): Promise<object> {
  if (asked.ask === 'begin') host.begin(asked.host);
  if (asked.ask === 'calm') await host.calm();
  if (asked.ask === 'asks') return reports.asks.slice(asked.since);
  if (asked.ask !== 'facts') return {};
  return {
    deliveries: sink.deliveries,
    replies: [...replies.values()],
    host: host.facts(),
    notified: notified.notified,
    reports: reports.reports,
    asks: reports.asks,
    given: remote.given,
  };
}

process.on('message', ({ number, asked }: OutsideRequest) => {
  void answer(asked).then((said) => process.send?.({ number, said }));
});
process.on('disconnect', () => process.exit());
process.send?.({
  modelUrl: model.url,
  modelPort: model.port,
  sinkPort: sink.port,
  hostPort: host.port,
  webhookPort: notified.port,
  mailPort: reports.mailPort,
  slackPort: reports.slackPort,
  remotePort: Number(new URL(remote.url).port),
});
