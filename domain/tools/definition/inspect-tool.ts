import type { ApprovalMode } from '../../approvals/index.ts';
import { readJsonObject } from './json-object.ts';
import { parseBy } from './parse-by.ts';
import { failRead, parsed, valueOf } from './parsed.ts';
import { readRequestFile, type RequestTemplate } from './request-template.ts';
import { type RunnableToolFile, toolFileSchema, UNSAID } from './tool-file.ts';

const MAX_SHELL_SCRIPT = 30_000;

/** The JSON Schema of a tool's arguments, which was checked when it was stored. */
type ParametersSchema = Readonly<Record<string, unknown>>;

/** A custom tool that can be run. */
export interface CustomTool {
  readonly key: string;
  /** For people. */
  readonly name: string;
  /** For the model. */
  readonly description: string;
  readonly parameters: ParametersSchema;
  readonly effect: 'read' | 'keyed' | 'once';
  /** When its calls wait for a person's decision, where the agent says nothing of it. */
  readonly approval: ApprovalMode;
  readonly timeoutSeconds: number;
  /** The name of the integration whose credentials its request takes. */
  readonly integration: string | undefined;
  readonly runtime: ToolRuntime;
}

/** What a call of the tool does: sends a request, or runs code. */
export type ToolRuntime =
  | { readonly kind: 'http'; readonly request: RequestTemplate }
  | { readonly kind: 'javascript' | 'shell'; readonly source: string };

/** A custom tool, or why it cannot be used, in words for people. */
export type ToolInspection = { readonly tool: CustomTool } | { readonly problem: string };

/** What the record of a tool says of it. */
interface ToolRecord {
  readonly key: string;
  readonly name: string;
  readonly description: string;
}

/** Reads a tool's definition files, by path, and finds out whether it can be given to a model. */
export function inspectTool(record: ToolRecord, files: ReadonlyMap<string, string>): ToolInspection {
  const read = parsed(() => readTool(record, files));
  return 'value' in read ? { tool: read.value } : { problem: read.issue };
}

function readTool(record: ToolRecord, files: ReadonlyMap<string, string>): CustomTool {
  const file = readToolFile(files);
  const { key = record.key, parameters, runtime, integration } = file;
  const { effect = UNSAID.effect, requires_approval: approval = UNSAID.approval } = file;
  const { timeout_s: timeoutSeconds = UNSAID.timeoutSeconds } = file;
  if (key !== record.key) failRead(`tool.json: key is ${key}, and that of the tool ${record.key}`);
  if (parameters === undefined) return failRead('tool.json: parameters is missing');
  const description = (file.description ?? record.description).trim();
  if (description === '') failRead('the tool has no description, by which a model would know when to use it');
  return {
    key,
    name: record.name,
    description,
    parameters,
    effect,
    approval,
    timeoutSeconds,
    integration,
    runtime: withIntegration(readRuntime(runtime, files, namesOf(parameters)), integration),
  };
}

function withIntegration(runtime: ToolRuntime, integration: string | undefined): ToolRuntime {
  if (runtime.kind !== 'http') {
    if (integration === undefined) return runtime;
    return failRead('tool.json: integration: only a request of http.json takes the credentials of one');
  }
  const [secret] = runtime.request.secrets;
  if (secret === undefined || integration !== undefined) return runtime;
  return failRead(
    `http.json: {{ secret.${secret.field} }} takes the credentials of an integration, which tool.json has to name`,
  );
}

function readToolFile(files: ReadonlyMap<string, string>): RunnableToolFile {
  const fields = valueOf(readJsonObject(readText(files, 'tool.json')), 'tool.json');
  const file = valueOf(parseBy(toolFileSchema(fields), fields), 'tool.json');
  return file.runtime === undefined ? failRead('tool.json: runtime is missing') : file;
}

function readRuntime(
  runtime: RunnableToolFile['runtime'],
  files: ReadonlyMap<string, string>,
  names: ReadonlySet<string>,
): ToolRuntime {
  if (runtime === 'shell') return { kind: 'shell', source: readShellScript(files) };
  if (runtime === 'http') {
    return { kind: 'http', request: valueOf(readRequestFile(readText(files, 'http.json'), names), 'http.json') };
  }
  return { kind: 'javascript', source: readText(files, 'main.js') };
}

// It becomes one argument of the shell, which the system bounds.
function readShellScript(files: ReadonlyMap<string, string>): string {
  const source = readText(files, 'main.sh');
  if (source.includes('\0')) return failRead('main.sh: it holds the character NUL');
  if (source.length <= MAX_SHELL_SCRIPT) return source;
  return failRead(`main.sh: it has more than ${MAX_SHELL_SCRIPT} characters`);
}

function namesOf({ properties }: ParametersSchema): ReadonlySet<string> {
  return new Set(typeof properties === 'object' && properties !== null ? Object.keys(properties) : []);
}

function readText(files: ReadonlyMap<string, string>, path: string): string {
  const text = files.get(path);
  if (text === undefined) return failRead(`${path} is missing`);
  return text.trim() === '' ? failRead(`${path} is empty`) : text;
}
