/** A small MCP server as the source of a program, which speaks over its standard input and output, and misbehaves. */
export const PROGRAM_SERVER = `
const fs = require('node:fs');
const { execSync } = require('node:child_process');
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
// Fills the reader's memory, not its own.
const again = (write) => void setInterval(() => process.stdout.writableLength < 2_000_000 && write(), 1);
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
const tool = (name, annotations = {}) => ({ name, description: name, inputSchema: { type: 'object' }, annotations });
const tools = [
  tool('look', { readOnlyHint: true }),
  tool('count', { readOnlyHint: true }),
  tool('save'),
  tool('hang'),
  tool('die'),
  tool('die_reading', { readOnlyHint: true }),
  tool('flood', { readOnlyHint: true }),
  tool('deep', { readOnlyHint: true }),
  tool('endless', { readOnlyHint: true }),
  tool('hoard', { readOnlyHint: true }),
];
let count = 0;
console.log('this line is no message');
if (process.env.DIES_AT_START) { console.error('cannot start with ' + process.env.TOKEN); process.exit(1); }
const run = {
  count: () => text(++count),
  save: ({ word }) => (fs.writeFileSync('/work/saved', word), text(fs.readFileSync('/work/saved'))),
  look: () =>
    text(JSON.stringify({
      pid: process.pid,
      uid: process.getuid(),
      env: process.env,
      files: fs.readdirSync('/work'),
      root: fs.readdirSync('/'),
      address: (() => { try { return execSync('cat /proc/net/tcp | wc -l').toString().trim(); } catch { return ''; } })(),
    })),
  hang: () => (fs.writeFileSync('/work/hung', ''), undefined),
  die: () => (console.error('killed with ' + process.env.TOKEN), process.exit(3)),
  die_reading: () => process.exit(3),
  flood: () => again(() => process.stdout.write('x'.repeat(1_000_000))),
  hoard: () => { globalThis.hoard = []; setInterval(() => hoard.push(Buffer.alloc(50_000_000, 1)), 1); },
  deep: () => (process.stdout.write('{"jsonrpc":"2.0","a":' + '['.repeat(100_000) + '\\n'), undefined),
  endless: () => again(() => { for (let i = 0; i < 500; i++) say({ method: 'notifications/message', params: { level: 'info', data: i } }); }),
};
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'p', version: '1' } }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: args }) => run[name](args ?? {}),
  ping: () => ({}),
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params ?? {});
  if (result !== undefined) say({ id, result });
}).on('close', () => process.exit(0));
`;
