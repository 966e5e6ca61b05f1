import { startScriptedModel } from '../../test/support/scripted-model/index.ts';
import { EffectSink } from './effect-sink.ts';
import { type ModelReply, readReply } from './model-reply.ts';

// The outside world as a process of its own: the model's provider and the effect sink. Started by `outside.ts`; it
// reports its ports, responds to every message with all it has recorded, and ends with its parent.

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
