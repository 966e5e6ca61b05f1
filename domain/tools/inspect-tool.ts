import type { ApprovalMode } from '../approvals.ts';
import { isWithin } from '../integrations/address.ts';
import type { KnownIntegration, TestRequest } from '../integrations/integration-kind.ts';
import { failRead, parseBy, parsed, type Parsed, readJsonObject, valueOf } from './parsed.ts';
import { parseRequestTemplate, readRequestFile, type RequestTemplate } from './request-template.ts';
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

/** How a call of the tool is run: as a request, or as code. */
type ToolRuntime =
  | { readonly kind: 'http'; readonly request: RequestTemplate }
  | { readonly kind: 'javascript' | 'shell'; readonly source: string };

/** A custom tool, or why it cannot be used, in words for people. */
type ToolInspection = { readonly tool: CustomTool } | { readonly problem: string };

/** The fields of a tool's record. */
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
  if (source.includes('\0')) return failRead('main.sh: it contains a NUL character');
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

/** The parts of a definition that are inspected. */
interface Inspected {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly files: ReadonlyMap<string, string>;
  readonly isLeftOut?: true;
}

const LEFT_OUT = 'the files of the tools before it in the list are too long together';

const known = new WeakMap<Inspected, ToolInspection>();

/** Reads a definition that is kept and never changed; reads it once. */
export function inspectDefinition(definition: Inspected): ToolInspection {
  if (definition.isLeftOut) return { problem: LEFT_OUT };
  const earlier = known.get(definition);
  if (earlier !== undefined) return earlier;
  const inspection = inspectTool(definition, definition.files);
  known.set(definition, inspection);
  return inspection;
}

/**
 * Returns why a tool cannot be used with the integration that it names, in words for people; undefined when it can, or
 * names none. The words do not repeat the address of the integration, which not everybody may see.
 */
export function integrationProblem(
  { integration: name, runtime }: CustomTool,
  integration: KnownIntegration | undefined,
): string | undefined {
  if (name === undefined || runtime.kind !== 'http') return undefined;
  if (integration === undefined) return `tool.json: there is no integration named ${name}`;
  const issue = secretIssue(runtime.request, integration) ?? addressIssue(runtime.request, integration);
  return issue && `http.json: ${issue}`;
}

function secretIssue({ secrets }: RequestTemplate, { name, fields, secretPlaces }: KnownIntegration) {
  const unset = secrets.find(({ field }) => !fields.includes(field));
  if (unset !== undefined) return `the integration ${name} has no credential named ${unset.field}`;
  const misplaced = secrets.find(({ location }) => !secretPlaces.includes(location));
  if (misplaced === undefined) return undefined;
  return `the credentials of the integration ${name} must not be put into the ${misplaced.location} of a request`;
}

// The rest of the path is checked when there are values for it.
function addressIssue({ origin, path: [start] }: RequestTemplate, { name, apiUrl }: KnownIntegration) {
  const [route = ''] = typeof start === 'string' ? start.split('?', 1) : [];
  if (isWithin(apiUrl, `${origin}${route}`)) return undefined;
  return `url: requests with the integration ${name} go to its base_url and below it only`;
}

/** Reads the request that shows whether the credentials of an integration work. It has no arguments. */
export function parseTestRequest(apiUrl: string, { path, headers, query }: TestRequest): Parsed<RequestTemplate> {
  return parseRequestTemplate({ method: 'GET', url: `${apiUrl}${path}`, headers, query }, new Set());
}
