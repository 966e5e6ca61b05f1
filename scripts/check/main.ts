import { runTool, type ToolName, tools } from './tools.ts';

// `npm run check -- lint types`: only these.
const chosen = process.argv.slice(2);
const names = Object.keys(tools) as ToolName[];
const unknown = chosen.filter((name) => !names.includes(name as ToolName));
if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')}; there are ${names.join(', ')}`);

let hasFailed = false;
for (const name of chosen.length === 0 ? names : (chosen as ToolName[])) {
  const { passed, output } = await runTool(name);
  console.log(`${passed ? 'ok    ' : 'FAILED'}  ${name}`);
  if (!passed) console.log(output);
  hasFailed ||= !passed;
}
process.exitCode = hasFailed ? 1 : 0;
