import { runTool, type ToolName, tools, WRITE_TYPES } from './tools.ts';

// `npm run check -- lint types`: only these.
const chosen = process.argv.slice(2);
const names = Object.keys(tools) as ToolName[];
const unknown = chosen.filter((name) => !names.includes(name as ToolName));
if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')}; there are ${names.join(', ')}`);

const named = (chosen.length === 0 ? names : (chosen as ToolName[])).map((name) => [name, tools[name]] as const);
let hasFailed = false;
for (const [name, script] of [['api types', WRITE_TYPES] as const, ...named]) {
  const { passed, output } = await runTool(script);
  console.log(`${passed ? 'ok    ' : 'FAILED'}  ${name}`);
  if (!passed) console.log(output);
  hasFailed ||= !passed;
}
process.exitCode = hasFailed ? 1 : 0;
