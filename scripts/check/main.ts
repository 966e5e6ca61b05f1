import { runTool, type ToolName, tools } from './tools.ts';

let hasFailed = false;
for (const name of Object.keys(tools) as ToolName[]) {
  const { passed, output } = await runTool(name);
  console.log(`${passed ? 'ok    ' : 'FAILED'}  ${name}`);
  if (!passed) console.log(output);
  hasFailed ||= !passed;
}
process.exitCode = hasFailed ? 1 : 0;
