import { parseArgs } from 'node:util';
import { startScriptedModel } from './scripted-model.ts';

// The scripted model as a process of its own: `node main.ts [--port 0] [--host 127.0.0.1] [--journal-limit 1000]`.
// Prints one JSON line { url, port, pid } when it listens, and ends on SIGTERM or SIGINT.
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    host: { type: 'string', default: '127.0.0.1' },
    'journal-limit': { type: 'string', default: '1000' },
  },
});

const model = await startScriptedModel({
  port: Number(values.port),
  host: values.host,
  journalLimit: Number(values['journal-limit']),
});
process.stdout.write(`${JSON.stringify({ url: model.url, port: model.port, pid: process.pid })}\n`);

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void model.close());
