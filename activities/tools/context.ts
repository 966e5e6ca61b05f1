import type { Agent } from '../../db/agents/index.ts';
import type { Run } from '../../db/agent-workflows/index.ts';
import type { Listed } from '../../db/core/index.ts';
import type { IssueChanges, IssueComment, IssueFilter, NewIssue, ShownIssue } from '../../db/issues/index.ts';
import type {
  DocumentSource,
  FoundPassage,
  KnowledgeBase,
  KnowledgeDocument,
  MeaningReport,
} from '../../db/knowledge-bases/index.ts';
import type { Schedule } from '../../db/schedules/index.ts';
import type { PlanStep, Task, TaskChanges } from '../../db/tasks/index.ts';
import type { AgentType } from '../../domain/agents/index.ts';
import type { Priority } from '../../domain/priorities/index.ts';
import type { ToolCategory } from '../../domain/tools/index.ts';
import type { TaskStatus } from '../../domain/tasks/index.ts';
import type { Memory, MemoryFields, MemoryType } from '../../db/memories/index.ts';
import type { IntegrationKindKey, KnownIntegration, Secrets, Settings } from '../../domain/integrations/index.ts';
import type { CertificateExpiry } from '../core/network/guarded-fetch.ts';
import type { GuardedHttp } from '../core/network/guarded-http.ts';
import type { GitRemote, Refusal } from '../git-remotes/index.ts';
import type { ImageRequest, SpeechRequest, Transcript } from '../llm/index.ts';
import type { SandboxEnding, Visit, VisitAnswer } from '../sandbox/index.ts';
import type { ComputeJob, ComputeOptions } from './compute/index.ts';
import type { Connections } from './operations/connections/connections.ts';
import type { RunScript } from './script/index.ts';
import type { RunEffect } from './tool.ts';
import type { Workspace } from './workspace/index.ts';

export { type GuardedResponse, HttpFailure, USER_AGENT } from '../core/network/guarded-http.ts';
export { limitWaitMs } from '../core/network/rate-limit.ts';
export type { PageLink, ReadPage } from './compute/index.ts';
export type { GitRemote } from '../git-remotes/index.ts';
export {
  isActing,
  STEP_NEEDS,
  VISIT_OUTPUTS,
  type VisitAction,
  type VisitAnswer,
  type VisitStep,
} from '../sandbox/index.ts';
export { SecretMask } from '../core/secret-mask.ts';
export { parseMailAddress } from './operations/connections/mail/mail.ts';
export type { Mailbox } from './operations/connections/mail/mailbox.ts';
export { kindOfRedisCommand } from './operations/connections/redis/redis-commands.ts';
export { kindOfStatement } from './operations/connections/sql/sql-statement.ts';
export { searchedBy } from '../../db/knowledge-bases/index.ts';
export { MEMORY_TYPES } from '../../db/memories/index.ts';
export type { FoundPassage, IssueComment, Memory, Schedule, ShownIssue, Task };

interface MemoryQuery {
  readonly type: MemoryType | undefined;
  /** A memory must have all of them. */
  readonly tags: readonly string[] | undefined;
  readonly limit: number;
}

/** The memories of the agent that a call works for. Throws `ToolFailure` with a message for the model. */
export interface AgentMemories {
  /** Stores a memory under an id; the same id again adds nothing and returns the stored one. */
  add(id: string, fields: MemoryFields): Promise<Memory>;
  search(search: MemoryQuery & { readonly words: readonly string[] }): Promise<readonly Memory[]>;
  list(page: MemoryQuery): Promise<Listed<Memory>>;
  /** Changes the given fields only. */
  update(id: string, changes: { readonly [K in keyof MemoryFields]?: MemoryFields[K] | undefined }): Promise<Memory>;
  delete(id: string): Promise<void>;
}

/**
 * The issues that the user of a call may see and change, by the operations of the routes. Throws `ToolFailure` with a
 * message for the model.
 */
export interface UserIssues {
  /** Returns the project of the chat that the call works for; undefined when it is in none. */
  projectOfChat(): Promise<string | undefined>;
  /** Returns the names of the projects that the user may see, at most so many. */
  listProjects(limit: number): Promise<readonly { readonly id: string; readonly name: string }[]>;
  list(filter: IssueFilter, limit: number): Promise<Listed<ShownIssue>>;
  get(id: string): Promise<ShownIssue>;
  listComments(issueId: string, limit: number): Promise<Listed<IssueComment>>;
  /** Adds an issue under an id; the same id again adds nothing and returns the stored one. */
  create(id: string, fields: NewIssue): Promise<ShownIssue>;
  /** Changes the given fields only. */
  update(id: string, changes: IssueChanges): Promise<ShownIssue>;
  /** Adds a comment under an id; the same id again adds nothing. */
  comment(id: string, comment: { issueId: string; content: string; isForeign: boolean }): Promise<void>;
}

/** A task as a tool adds it; `agent` is the name or the id of the agent that is to work on it. */
export interface ToolTask {
  readonly title: string;
  readonly description: string;
  readonly agent: string | undefined;
  readonly priority: Priority;
}

/** A plan as an agent writes it. */
interface ToolPlan {
  readonly goal: string;
  readonly steps: ToolSteps;
  readonly isForeign: boolean;
}

/** A plan with its steps. */
export interface ShownPlan {
  readonly plan: Task;
  /** The first ones, as many as a plan may be given. */
  readonly steps: readonly Task[];
  /** How many parts the plan has. */
  readonly total: number;
}

/** Steps of a plan as a tool adds them; `dependsOn` holds places in the list. */
export type ToolSteps = readonly (ToolTask & Pick<PlanStep, 'dependsOn'>)[];

/**
 * The tasks of the chat that a call works for and of its sub-agents' chats, by the operations of the routes; those of
 * other chats do not exist here. Throws `ToolFailure` with a message for the model.
 */
export interface UserTasks {
  /** Returns the tasks of the chat, oldest first, in one state if wanted. */
  list(status: TaskStatus | undefined, limit: number): Promise<Listed<Task>>;
  get(id: string): Promise<Task>;
  /** Adds a task under an id; the same id again adds nothing and returns the stored one. */
  create(
    id: string,
    task: ToolTask & { readonly dependsOn: readonly string[]; readonly isForeign: boolean },
  ): Promise<Task>;
  /** Changes the given fields only. */
  update(
    id: string,
    changes: Pick<TaskChanges, 'title' | 'description' | 'status' | 'output' | 'isForeign'>,
  ): Promise<Task>;
  /** Asks the agent that works on a task to stop. */
  interrupt(id: string): Promise<Task>;
  getPlan(id: string): Promise<ShownPlan>;
  /** Adds a plan under an id; the same id again adds nothing. */
  createPlan(id: string, plan: ToolPlan): Promise<ShownPlan>;
  /** Adds steps to a plan; the same key again adds nothing. */
  addSteps(key: string, added: { planId: string; steps: ToolSteps; isForeign: boolean }): Promise<ShownPlan>;
}

/** What an agent says of a schedule. */
export interface ToolSchedule {
  readonly name: string;
  readonly prompt: string;
  /** The name or the id of the agent that works on its runs; the one that makes the call unless given. */
  readonly agent: string | undefined;
  readonly cronExpr: string | null;
  readonly intervalMinutes: number | null;
  readonly timezone: string;
  /** Whether the prompt may repeat text from outside. */
  readonly isForeign: boolean;
}

/**
 * The schedules of the user that a call works for, by the operations of the routes; those of others do not exist here.
 * Throws `ToolFailure` with a message for the model.
 */
export interface UserSchedules {
  list(limit: number): Promise<Listed<Schedule>>;
  get(id: string): Promise<Schedule>;
  /** Adds a schedule under an id; the same id again adds nothing and returns the stored one. */
  create(id: string, schedule: ToolSchedule): Promise<Schedule>;
  /** Changes the given fields only. */
  update(id: string, changes: Partial<ToolSchedule>): Promise<Schedule>;
  setActive(id: string, isActive: boolean): Promise<Schedule>;
  /** Starts a run now and returns its id; the same key again starts no second one. */
  trigger(id: string, key: string): Promise<string>;
  delete(id: string): Promise<void>;
}

/** A run of a workflow, as a tool is told of it. */
export type ToolRun = Pick<
  Run,
  'id' | 'workflowId' | 'status' | 'missingVariables' | 'output' | 'error' | 'startedAt' | 'completedAt'
>;

/**
 * The workflows that the user of a call may run, by the operations of the routes. Throws `ToolFailure` with a message
 * for the model.
 */
export interface UserWorkflows {
  /** Starts a run and returns its id; the same key again starts no second one. */
  trigger(id: string, variables: Readonly<Record<string, unknown>>, key: string): Promise<string>;
  readRun(workflowId: string, runId: string): Promise<ToolRun>;
}

/** Whom the agent of a call may send messages to. Throws `ToolFailure` with a message for the model. */
export interface Broadcasts {
  /** Whether the agent answers its user itself: one that works for another agent sends no messages around. */
  readonly mayBroadcast: boolean;
  /** Returns the active agents of a project that the user may use, without the one that makes the call. */
  listProjectAgents(projectId: string, limit: number): Promise<readonly string[]>;
  /**
   * Sends a message as a plan with a step for each agent; `fields` are those that say it, for the audit log. A repeated
   * call sends nothing twice.
   */
  send(plan: ToolPlan, fields: readonly string[]): Promise<ShownPlan>;
}

/** The kinds of records that an agent can look at. */
export const PLATFORM_KINDS = [
  'agents',
  'tools',
  'skills',
  'personas',
  'projects',
  'workflows',
  'schedules',
  'providers',
  'provider_chains',
] as const;

export type PlatformKind = (typeof PLATFORM_KINDS)[number];

/** A record as an agent is shown it, with the fields of its kind. */
export interface InspectedRecord {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly [field: string]: unknown;
}

/**
 * What the user of a call may see of the platform, by the operations of the routes. Throws `ToolFailure` with a message
 * for the model.
 */
export interface PlatformRecords {
  /** Returns the records of a kind, at most 500. */
  list(kind: PlatformKind): Promise<readonly InspectedRecord[]>;
  get(kind: PlatformKind, id: string): Promise<InspectedRecord>;
  /** Returns what the user has used of their budgets. */
  usage(): Promise<unknown>;
}

/** What an agent says of another one that it makes or changes. */
export interface ToolAgent {
  readonly name: string;
  readonly description: string;
  readonly agentType: AgentType;
  readonly systemPrompt: string;
  /** Those of the persona unless given. */
  readonly tools: string[] | undefined;
  readonly skills: string[] | undefined;
  readonly personaId: string | null;
  readonly providerChainId: string | null;
}

/** An agent that was made or changed, and the defaults of its persona that it was not given. */
export interface MadeAgent extends Pick<Agent, 'id' | 'name' | 'tools' | 'skills' | 'isActive'> {
  readonly leftOut: readonly string[];
}

/**
 * The agents that the user of a call may make and change, by the rules of the routes: none gets what the user may not
 * use. Throws `ToolFailure` with a message for the model.
 */
export interface UserAgents {
  /** Adds an agent under an id; the same id again adds nothing and returns the stored one. */
  create(id: string, agent: ToolAgent): Promise<MadeAgent>;
  /** Changes the given fields only. */
  update(id: string, changes: Partial<ToolAgent>): Promise<MadeAgent>;
}

/** A tool as an agent writes it. */
export interface WrittenTool {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly category: ToolCategory;
  /** Its files by their paths, `tool.json` among them. */
  readonly files: ReadonlyMap<string, string>;
}

/**
 * The tools that the user of a call may write for the organization, by the rules of the routes. Throws `ToolFailure`
 * with a message for the model.
 */
export interface UserTools {
  /**
   * Adds a tool under an id, or replaces the organization's own of its key. Returns its id, and what keeps it from
   * being used; null when nothing does.
   */
  write(id: string, tool: WrittenTool): Promise<{ readonly id: string; readonly problem: string | null }>;
}

/** What an agent looks for in its knowledge bases. */
interface KnowledgeQuery {
  readonly query: string;
  /** Ids or names; all that the agent may search unless given. */
  readonly bases: readonly string[] | undefined;
  readonly limit: number;
  /** A document must have all of them. */
  readonly tags: readonly string[] | undefined;
}

interface NewKnowledge {
  /** The id or the name of the knowledge base. */
  readonly base: string;
  readonly source: DocumentSource;
  readonly title: string;
  readonly tags: readonly string[];
}

/**
 * The knowledge bases that the agent of a call may search: those that were chosen for it, or all of the organization.
 * Throws `ToolFailure` with a message for the model.
 */
export interface AgentKnowledge {
  search(query: KnowledgeQuery): Promise<{
    readonly bases: readonly KnowledgeBase[];
    readonly passages: readonly FoundPassage[];
    readonly meaning: MeaningReport;
  }>;
  /** Adds a document under an id; the same id again adds nothing and returns the stored one. */
  add(id: string, document: NewKnowledge): Promise<KnowledgeDocument>;
}

/** An account and a model that are wanted: any that may be used unless given. */
interface WantedModel {
  /** The id or the name of a provider account. */
  readonly account: string | undefined;
  /** For an account whose provider has no known one. */
  readonly model: string | undefined;
}

/**
 * Models for pictures and speech, by the provider accounts that the user of a call may use. What a call has used counts
 * as usage of its turn. Throws `ToolFailure` with a message for the model.
 */
export interface UserMedia {
  /** Has pictures made, or one changed; returns their bytes, of whatever format. */
  generateImages(request: ImageRequest & WantedModel): Promise<readonly Buffer[]>;
  /** The file is read when the call has its turn. */
  transcribe(
    request: Omit<SpeechRequest, 'file'> & WantedModel & { readonly readFile: () => Promise<SpeechRequest['file']> },
  ): Promise<Transcript>;
}

/** A skill of the agent: text that its organization has written. */
export interface AgentSkill {
  readonly key: string;
  /** The paths of its files. */
  readonly paths: readonly string[];
}

/** The skills of the agent that a call works for, those that the user may use. */
export interface AgentSkills {
  list(): Promise<readonly AgentSkill[]>;
  /** Returns a file of a skill of this key; `undefined` when there is none at this path. */
  readFile(key: string, path: string): Promise<string | undefined>;
}

/** An integration with its secrets, which no result, log or message may hold. */
export interface OpenedIntegration extends KnownIntegration {
  readonly secrets: Secrets;
  /** The variables in which commands may find them, each with the name of its field; none unless given. */
  readonly commandVariables?: Readonly<Record<string, string>> | undefined;
}

/** A request to the service of an integration, which carries its credentials. */
export interface ServiceRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined;
  /**
   * The name of the credential that is the whole address, to which no other credential goes; the path is empty then.
   */
  readonly to?: string | undefined;
  /** The name of another server of the service, below which the path lies and to which no credential goes by itself. */
  readonly at?: string | undefined;
  /** Below the address of the API, beginning with a slash; or a whole address below it, such as that of a next page. */
  readonly path: string;
  /** Left out where undefined; a list gives a parameter several times. */
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is, with the content type among the headers. */
  readonly body?: string | Uint8Array | undefined;
  /** One that reads, or has a key, is sent again where that may help; `once` never. */
  readonly effect: RunEffect;
  /** 30 seconds unless given. */
  readonly timeoutMs?: number | undefined;
  /** 4 MiB unless given; a larger answer is a failure. */
  readonly maxBytes?: number | undefined;
  /** Statuses from 400 on that the tool looks at itself; others are failures. */
  readonly accepts?: readonly number[] | undefined;
  /**
   * Set for what takes something away: when it is sent again, 404 and 410 are accepted, because it is gone as was
   * wanted.
   */
  readonly goneIsDone?: boolean | undefined;
}

type QueryValue = string | number | boolean;

/** The answer of a service, in which its secrets are masked. */
export interface ServiceAnswer {
  readonly status: number;
  /** That of the request: what cannot be read after a write leaves it open whether that was made. */
  readonly effect: RunEffect;
  /** Keyed by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  /** The body as it came; it may hold secrets, so it is for files only, and `text` for all else. */
  readonly bytes: Buffer;
  readonly text: string;
  /** Returns the body as JSON; throws `ToolFailure` when it is none. */
  json(): unknown;
}

/** The service of an integration, to which requests go with its credentials. */
export interface Service<K extends IntegrationKindKey = IntegrationKindKey> {
  readonly kind: K;
  /** The name of the integration. */
  readonly name: string;
  readonly apiUrl: string;
  readonly settings: Settings;
  /** For what cannot be said with a request; no result, log or message may hold them. */
  readonly secrets: Secrets;
  /** Masks the secrets in a text that the service may have repeated them in. */
  mask(text: string): string;
  /** Notes with the integration that it was used; with words for people when its credentials were rejected. */
  noteUse(rejection: string | null): Promise<void>;
  /** Sends a request. Throws `ToolFailure` with the words of the service, without its secrets. */
  request(request: ServiceRequest): Promise<ServiceAnswer>;
}

/**
 * Opens the organization's integration that is of one of these kinds, by its name where there are several. Throws
 * `ToolFailure` when there is none, or none was named of several.
 */
export type OpenService = <K extends IntegrationKindKey>(
  kinds: readonly K[],
  name: string | undefined,
) => Promise<Service<K>>;

/** Returns the organization's integration of this name; undefined when there is none. */
export type OpenIntegration = (name: string) => Promise<OpenedIntegration | undefined>;

/** Returns the oldest integration of the organization that is of one of these kinds; undefined when there is none. */
export type OpenIntegrationOfKind = (
  kinds: readonly IntegrationKindKey[],
) => Promise<(OpenedIntegration & { readonly kind: IntegrationKindKey }) | undefined>;

/**
 * Runs a job in a process of bounded memory and returns the JSON of its result. A large job is given as a function,
 * called when its turn comes; `size` is its size until then, in characters.
 */
export type Compute = (job: ComputeJob | (() => Promise<ComputeJob>), options?: ComputeOptions) => Promise<string>;

/** A command for the sandbox. */
export interface ToolCommand {
  /** A program and its arguments, as they are found inside. */
  readonly command: readonly string[];
  /** Whether it sees the workspace, as `/work`, and whether it may change it. */
  readonly workspace: 'none' | 'read' | 'write';
  /** Variables of its environment. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly stdin?: string | undefined;
  readonly timeoutMs: number;
  /** Whether it reaches public addresses over http and https. */
  readonly network?: boolean | undefined;
  /**
   * The one repository of another server that git reaches, by its own address, with credentials of the organization
   * that are not to be found inside.
   */
  readonly remote?: GitRemote | undefined;
}

/** How a command ended. */
export interface CommandEnding extends SandboxEnding {
  /** Whether its output may repeat text from outside. */
  readonly isForeign: boolean;
  /** Why the repository of another server was not reached, where it was not. */
  readonly refusal?: Refusal | undefined;
}

/** Runs a command where it can harm nobody. Throws `ToolFailure` when that cannot be had here. */
export type RunCommand = (command: ToolCommand) => Promise<CommandEnding>;

/**
 * Visits a page of the web with a browser that nobody else uses and that ends with the visit. Throws `ToolFailure` when
 * that cannot be had here, and when the visit came to no end.
 */
export type VisitPage = (visit: Visit) => Promise<VisitAnswer>;

/**
 * The environment of a tool; it reaches nothing else. Each part is bound to the organization, the agent and the chat of
 * the call, so a tool cannot name another one.
 */
export interface ToolContext {
  /** The same each time this call is repeated. */
  readonly idempotencyKey: string;
  /** Whether an earlier attempt at this call may have done what it does. */
  readonly isRepeated: boolean;
  /** Whether the chat has read text from outside: stored text may repeat it. */
  readonly hasForeignText: boolean;
  /** Whether a person has approved the call. */
  readonly isApproved: boolean;
  readonly workspace: Workspace;
  readonly memories: AgentMemories;
  readonly knowledge: AgentKnowledge;
  readonly issues: UserIssues;
  readonly tasks: UserTasks;
  readonly schedules: UserSchedules;
  readonly workflows: UserWorkflows;
  readonly broadcasts: Broadcasts;
  readonly platform: PlatformRecords;
  readonly agents: UserAgents;
  readonly tools: UserTools;
  readonly skills: AgentSkills;
  readonly media: UserMedia;
  readonly openIntegration: OpenIntegration;
  readonly openIntegrationOfKind: OpenIntegrationOfKind;
  readonly openService: OpenService;
  readonly connections: Connections;
  readonly http: GuardedHttp;
  readonly certificateExpiry: CertificateExpiry;
  readonly compute: Compute;
  /** Runs work that holds tens of megabytes: few are at work at once, and organizations take turns. */
  readonly runLargeWork: <T>(work: () => Promise<T>) => Promise<T>;
  readonly runScript: RunScript;
  readonly runCommand: RunCommand;
  readonly visitPage: VisitPage;
  /** Aborts when the turn is interrupted, the time is up, or the worker ends; the tool then stops as soon as it can. */
  readonly signal: AbortSignal;
}
