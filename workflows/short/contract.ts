import type { ActivityOptions } from '@temporalio/common';
import type { Activities } from '../../activities/index.ts';

/** The key of a record of an organization. */
type RecordOfOrg<Id extends string> = Readonly<Record<'orgId' | Id, string>>;

export type ProviderCallInput = RecordOfOrg<'accountId' | 'userId'>;
export type CheckIntegrationInput = RecordOfOrg<'integrationId' | 'userId'>;
export type TestDestinationInput = RecordOfOrg<'destinationId' | 'userId'>;
export type ProbeMcpServerInput = RecordOfOrg<'serverId' | 'userId'>;
export type SignInInput = RecordOfOrg<'signInId'>;
export type TryToolInput = RecordOfOrg<'trialId'>;
export type EmbedQueryInput = RecordOfOrg<'queryId'>;

/** The inputs of the short workflows, by their types. */
export interface ShortInputs {
  readonly probeProvider: ProviderCallInput;
  readonly listProviderModels: ProviderCallInput;
  readonly checkIntegration: CheckIntegrationInput;
  readonly signInWithIntegration: SignInInput;
  readonly testDestination: TestDestinationInput;
  readonly probeMcpServer: ProbeMcpServerInput;
  readonly signInAtMcpServer: SignInInput;
  readonly tryTool: TryToolInput;
  readonly embedQuery: EmbedQueryInput;
}

export type TypeOfShort = keyof ShortInputs;

/** The result of a call with a provider account. `error` is meant for a person and contains no secret. */
export type ProbeResult =
  | { readonly ok: true; readonly latencyMs: number; readonly model: string }
  | { readonly ok: false; readonly error: string };

/** A model that a provider account offers. */
export interface OfferedModel {
  /** The value for `model_name`. */
  readonly id: string;
  /** Its name for people; null when the provider has none. */
  readonly name: string | null;
}

/** The models of a provider account. `error` is meant for a person and contains no secret. */
export type ListProviderModelsResult =
  | { readonly ok: true; readonly models: readonly OfferedModel[] }
  | { readonly ok: false; readonly error: string };

/** Whether the credentials of an integration work. If not, its row says why. */
export interface CheckIntegrationResult {
  readonly ok: boolean;
  /** Null when there was no answer. */
  readonly latencyMs: number | null;
}

/** Whether a destination has taken a test message. If not, its row says why. */
export interface TestDestinationResult {
  readonly ok: boolean;
  readonly latencyMs: number;
}

/** Whether the requested result was stored. If not, the row of its subject says why. */
export interface StoredResult {
  readonly ok: boolean;
}

/** The longest that a tried call of a tool may take, in milliseconds. */
export const MAX_TEST_RUN_MS = 60_000;

/** A workflow that has one activity run, once, for somebody who waits for its result. */
interface ShortWorkflow<Input> {
  /** Returns the id of the workflow, or the prefix of the ids where each run has one of its own. */
  readonly idOf: (input: Input) => string | { readonly prefix: string };
  readonly activity: ActivityFor<Input>;
  readonly options: ActivityOptions;
  /** The longest life of the workflow, in milliseconds. */
  readonly lifeMs: number;
  /** The time after which a hanging engine counts as failed, in milliseconds. */
  readonly deadlineMs: number;
}

/** The activities that take some input. */
type ActivityFor<Input> = {
  [Name in keyof Activities]: Activities[Name] extends (input: Input) => Promise<unknown> ? Name : never;
}[keyof Activities];

/**
 * The short workflows by their types. Types, ids and activities are part of histories and of Temporal's store: they do
 * not change.
 */
export const SHORT_WORKFLOWS = {
  // Makes one small call with a provider account.
  probeProvider: {
    idOf: ({ orgId, accountId }) => ({ prefix: `provider-probe/${orgId}/${accountId}/` }),
    activity: 'callProvider',
    options: { startToCloseTimeout: '30 seconds' },
    lifeMs: 40_000,
    deadlineMs: 45_000,
  },
  // Asks a provider account which models it offers.
  listProviderModels: {
    idOf: ({ orgId, accountId }) => ({ prefix: `provider-models/${orgId}/${accountId}/` }),
    activity: 'listModels',
    options: { startToCloseTimeout: '30 seconds' },
    lifeMs: 40_000,
    deadlineMs: 45_000,
  },
  // Makes one small request with an integration and has its result stored.
  checkIntegration: {
    idOf: ({ orgId, integrationId }) => ({
      prefix: `integration-check/${orgId}/${integrationId}/`,
    }),
    activity: 'tryIntegration',
    options: { startToCloseTimeout: '30 seconds' },
    lifeMs: 40_000,
    deadlineMs: 45_000,
  },
  // Finishes a person's sign-in with an integration.
  signInWithIntegration: {
    idOf: ({ orgId, signInId }) => `integration-sign-in/${orgId}/${signInId}`,
    activity: 'finishIntegrationSignIn',
    options: { startToCloseTimeout: '40 seconds' },
    lifeMs: 40_000,
    deadlineMs: 45_000,
  },
  // Sends a test message to a destination and has its result stored.
  testDestination: {
    idOf: ({ orgId, destinationId }) => ({ prefix: `destination-test/${orgId}/${destinationId}/` }),
    activity: 'testDestination',
    options: { startToCloseTimeout: '40 seconds' },
    lifeMs: 45_000,
    deadlineMs: 50_000,
  },
  // Asks an MCP server for its tools and has them stored.
  probeMcpServer: {
    idOf: ({ orgId, serverId }) => ({ prefix: `mcp-probe/${orgId}/${serverId}/` }),
    activity: 'fetchMcpTools',
    options: { startToCloseTimeout: '40 seconds' },
    lifeMs: 45_000,
    deadlineMs: 50_000,
  },
  // Advances a person's sign-in at an MCP server.
  signInAtMcpServer: {
    idOf: ({ orgId, signInId }) => ({ prefix: `mcp-sign-in/${orgId}/${signInId}/` }),
    activity: 'advanceMcpSignIn',
    options: { startToCloseTimeout: '40 seconds' },
    lifeMs: 45_000,
    deadlineMs: 50_000,
  },
  // Makes a test call of a tool. Its arguments and result are stored in the row of the call.
  tryTool: {
    idOf: ({ orgId, trialId }) => `tool-trial/${orgId}/${trialId}`,
    activity: 'tryTool',
    options: { startToCloseTimeout: MAX_TEST_RUN_MS + 10_000, heartbeatTimeout: '8 seconds' },
    lifeMs: MAX_TEST_RUN_MS + 15_000,
    deadlineMs: MAX_TEST_RUN_MS + 20_000,
  },
  // Embeds a query. Its text and vector are stored in the row of the query; without a vector the search is by words
  // alone.
  embedQuery: {
    idOf: ({ orgId, queryId }) => `knowledge-query/${orgId}/${queryId}`,
    activity: 'embedQuery',
    options: { startToCloseTimeout: '10 seconds' },
    lifeMs: 9_000,
    deadlineMs: 10_000,
  },
} as const satisfies { readonly [Type in TypeOfShort]: ShortWorkflow<ShortInputs[Type]> };

/** The result of a short workflow. */
export type ResultOf<Type extends TypeOfShort> = Awaited<
  ReturnType<Activities[(typeof SHORT_WORKFLOWS)[Type]['activity']]>
>;
