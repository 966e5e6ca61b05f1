import { parseForeignJson } from '../../core/foreign-json.ts';
import { failRead, parsed, valueOf } from './parsed.ts';
import { describeIssue, parseRequestTemplate, type RequestTemplate } from './request-template.ts';
import { toolFileSchema } from './tool-file.ts';

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
  readonly timeoutSeconds: number;
  /** The name of the integration whose credentials its request takes. */
  readonly integration: string | undefined;
  readonly runtime: ToolRuntime;
}

/** What a call of the tool does: sends a request, or runs code. */
export type ToolRuntime =
  | { readonly kind: 'http'; readonly request: RequestTemplate }
  | { readonly kind: 'javascript'; readonly source: string };

/** A custom tool, or why it cannot be used, in words for people. */
export type ToolInspection = { readonly tool: CustomTool } | { readonly problem: string };

/** What the record of a tool says of it. */
interface ToolRecord {
  readonly key: string;
  readonly name: string;
  readonly description: string;
}

const MAX_DEPTH = 64;

/** Reads a tool's definition files, by path, and finds out whether it can be given to a model. */
export function inspectTool(record: ToolRecord, files: ReadonlyMap<string, string>): ToolInspection {
  const read = parsed(() => readTool(record, files));
  return 'value' in read ? { tool: read.value } : { problem: read.issue };
}

function readTool(record: ToolRecord, files: ReadonlyMap<string, string>): CustomTool {
  const file = toolFileSchema.safeParse(readJson(files, 'tool.json'));
  if (!file.success) return failRead(`tool.json: ${describeIssue(file.error)}`);
  const { key = record.key, parameters, effect, runtime, timeout_s: timeoutSeconds, integration } = file.data;
  if (key !== record.key) failRead(`tool.json: key is ${key}, and that of the tool ${record.key}`);
  const description = file.data.description ?? record.description.trim();
  if (description === '') failRead('the tool has no description, by which a model would know when to use it');
  return {
    key,
    name: record.name,
    description,
    parameters,
    effect,
    timeoutSeconds,
    integration,
    runtime: withIntegration(readRuntime(runtime, files, namesOf(parameters)), integration),
  };
}

function withIntegration(runtime: ToolRuntime, integration: string | undefined): ToolRuntime {
  if (runtime.kind === 'javascript') {
    if (integration === undefined) return runtime;
    return failRead('tool.json: integration: only a request of http.json takes the credentials of one');
  }
  const [secret] = runtime.request.secrets;
  if (secret === undefined || integration !== undefined) return runtime;
  return failRead(`http.json: {{ secret.${secret.field} }} is of an integration, which tool.json has to name`);
}

function readRuntime(
  runtime: 'http' | 'javascript' | 'shell',
  files: ReadonlyMap<string, string>,
  names: ReadonlySet<string>,
): ToolRuntime {
  if (runtime === 'shell') return failRead('tool.json: the runtime shell is not available yet');
  if (runtime === 'http') {
    const request = valueOf(parseRequestTemplate(readJson(files, 'http.json'), names), 'http.json');
    return { kind: 'http', request };
  }
  return { kind: 'javascript', source: readText(files, 'main.js') };
}

function namesOf({ properties }: ParametersSchema): ReadonlySet<string> {
  return new Set(typeof properties === 'object' && properties !== null ? Object.keys(properties) : []);
}

function readText(files: ReadonlyMap<string, string>, path: string): string {
  const text = files.get(path);
  if (text === undefined) return failRead(`${path} is missing`);
  return text.trim() === '' ? failRead(`${path} is empty`) : text;
}

function readJson(files: ReadonlyMap<string, string>, path: string): unknown {
  const json = parseForeignJson(readText(files, path), { maxDepth: MAX_DEPTH });
  return 'issue' in json ? failRead(`${path}: it is not JSON: ${json.issue}`) : json.value;
}
