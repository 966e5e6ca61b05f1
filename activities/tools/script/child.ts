import { type ScriptEnding, ScriptEngine } from './engine.ts';
import { type HostMessage, LineSplitter, MAX_LOG_LINES, MAX_MESSAGE, type ScriptMessage } from './messages.ts';

// The main program of the process of one script: lines of JSON come in and go out (`messages.ts`).

const splitter = new LineSplitter(Number.POSITIVE_INFINITY);
let logged = 0;

const engine = ScriptEngine.create({
  send: (id, request) => send({ type: 'fetch', id, request: JSON.parse(request) as unknown }),
  log: (text) => {
    logged += 1;
    if (logged <= MAX_LOG_LINES) send({ type: 'log', text: text.slice(0, MAX_MESSAGE) });
  },
});

process.stdin.on('data', (chunk: Buffer) => {
  for (const line of splitter.take(chunk) ?? []) void hear(JSON.parse(line) as HostMessage);
});
// The service is gone.
process.stdin.once('close', () => process.exit());

async function hear(message: HostMessage): Promise<void> {
  const ending = take(await engine, message);
  if (ending === undefined) send({ type: 'waiting' });
  else if ('json' in ending) send({ type: 'result', json: ending.json });
  else send({ type: 'issue', message: ending.issue.slice(0, MAX_MESSAGE), kind: ending.kind });
}

function take(script: ScriptEngine, message: HostMessage): ScriptEnding | undefined {
  if (message.type === 'start') return script.start(message);
  return 'answer' in message
    ? script.settle(message.id, { answer: JSON.stringify(message.answer) })
    : script.settle(message.id, { failure: message });
}

function send(message: ScriptMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
