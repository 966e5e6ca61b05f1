import { startScriptedModel } from '../test/support/scripted-model/index.ts';
import { EffectSink } from './effect-sink.ts';
import { type ModelReply, readReply } from './model-reply.ts';

// The world outside the platform, as a process of its own: the model's provider and the ledger. Started by `outside.ts`; it
// tells where it listens, answers every message with all it has noted, and ends with who started it.

/** Requests that the model itself remembers: none is asked for. */
const JOURNAL_LIMIT = 100;

const replies = new Map<number, ModelReply>();
const sink = await EffectSink.start();
const model = await startScriptedModel({
  journalLimit: JOURNAL_LIMIT,
  onEnd: (entry) => replies.set(entry.id, readReply(entry)),
});

process.on('message', () => process.send?.({ deliveries: sink.deliveries, replies: [...replies.values()] }));
process.on('disconnect', () => process.exit());
process.send?.({ modelUrl: model.url, modelPort: model.port, sinkPort: sink.port });
