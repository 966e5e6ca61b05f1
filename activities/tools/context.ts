import type { CertificateExpiry } from '../core/network/guarded-fetch.ts';
import type { GuardedHttp } from '../core/network/guarded-http.ts';
import type { AgentKnowledge, AgentMemories, AgentSkills } from './operations/agent-records.ts';
import type { RunCommand } from './operations/command-runner.ts';
import type { VisitPage } from './operations/page-visits.ts';
import type { ComputeJob } from './compute/job.ts';
import type { ComputeOptions } from './compute/compute.ts';
import type { PlatformRecords } from './operations/platform/platform-records.ts';
import type {
  FindIntegration,
  FindService,
  OpenIntegration,
  OpenIntegrationOfKind,
  OpenService,
} from './operations/service-types.ts';
import type { UserAgents, UserTools } from './operations/platform/user-agents.ts';
import type { UserIssues } from './operations/user-issues.ts';
import type { UserMedia } from './operations/media/user-media.ts';
import type { UserSchedules } from './operations/user-schedules.ts';
import type { Broadcasts, UserTasks } from './operations/user-tasks.ts';
import type { UserWorkflows } from './operations/platform/user-workflows.ts';
import type { Connections } from './operations/connections/connections.ts';
import type { RunScript } from './script/script-run.ts';
import type { Workspace } from './workspace/workspace.ts';

export type { Trust } from '../core/network/guarded-connect.ts';
export { type GuardedResponse, HttpFailure, USER_AGENT } from '../core/network/guarded-http.ts';
export { limitWaitMs } from '../core/network/rate-limit.ts';
export type { PageLink, ReadPage } from './compute/pages/read-page.ts';
export type { GitRemote } from '../git-remotes/git-gateway.ts';
export { isActing, STEP_NEEDS, VISIT_OUTPUTS, type VisitAction, type VisitStep } from '../sandbox/browser/visit.ts';
export type { VisitAnswer } from '../sandbox/browser/browser.ts';
export { SecretMask } from '../core/secret-mask.ts';
export { CallSecrets } from '../integrations/open-credentials.ts';
export type { RemoteAgent, RemoteAnswer, RemoteState } from './operations/connections/remote-agent.ts';
export type { Mailbox } from './operations/connections/imap.ts';
export { kindOfRedisCommand } from './operations/connections/redis.ts';
export type { Cluster } from './operations/connections/kubernetes.ts';
export { MAX_OBJECT, type ObjectStore } from './operations/connections/s3/object-store.ts';
export { kindOfStatement } from './operations/connections/sql/sql-statement.ts';
export type { IssueComment } from '../../db/issues/comments.ts';
export type { ShownIssue } from '../../db/issues/read-issues.ts';
export { type FoundPassage, searchedBy } from '../../db/knowledge-bases/search/search-passages.ts';
export type { Memory } from '../../db/memories.ts';
export type { Schedule } from '../../db/schedules/schedule.entity.ts';
export type { Task } from '../../db/tasks/tasks.ts';
export type { AgentKnowledge, AgentMemories, AgentSkill, AgentSkills } from './operations/agent-records.ts';
export type { UserIssues } from './operations/user-issues.ts';
export type { Broadcasts, ShownPlan, ToolSteps, UserTasks } from './operations/user-tasks.ts';
export type { UserSchedules } from './operations/user-schedules.ts';
export type { RunnableWorkflow, ToolRun, UserWorkflows } from './operations/platform/user-workflows.ts';
export { type InspectedRecord, PLATFORM_KINDS, type PlatformRecords } from './operations/platform/platform-records.ts';
export type { MadeAgent, UserAgents, UserTools } from './operations/platform/user-agents.ts';
export type { UserMedia } from './operations/media/user-media.ts';
export type {
  FoundIntegration,
  OpenedIntegration,
  OpenIntegration,
  OpenIntegrationOfKind,
  OpenService,
  Service,
  ServiceAnswer,
  ServiceRequest,
} from './operations/service-types.ts';
export type { CommandEnding, RunCommand } from './operations/command-runner.ts';
export type { VisitPage } from './operations/page-visits.ts';

/**
 * Runs a job in a process of bounded memory and returns the JSON of its result. A large job is passed as a function,
 * called when its turn comes; `size` is its size until then, in characters.
 */
export type Compute = (job: ComputeJob | (() => Promise<ComputeJob>), options?: ComputeOptions) => Promise<string>;

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
  readonly findIntegration: FindIntegration;
  readonly findService: FindService;
  readonly openIntegration: OpenIntegration;
  readonly openIntegrationOfKind: OpenIntegrationOfKind;
  readonly openService: OpenService;
  readonly connections: Connections;
  readonly http: GuardedHttp;
  readonly certificateExpiry: CertificateExpiry;
  readonly compute: Compute;
  /** Runs work that takes tens of megabytes of memory: few run at once, and owners of organizations take turns. */
  readonly runLargeWork: <T>(work: () => Promise<T>) => Promise<T>;
  readonly runScript: RunScript;
  readonly runCommand: RunCommand;
  readonly visitPage: VisitPage;
  /** Aborts when the turn is interrupted, the time is up, or the worker ends; the tool then stops as soon as it can. */
  readonly signal: AbortSignal;
}
